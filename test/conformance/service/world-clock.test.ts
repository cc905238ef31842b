import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WorldClock } from '../../../src/conformance/index.ts';
import fc from '../../support/property.ts';

const START_MS = Date.UTC(2026, 6, 8, 10);

describe('a scheduler', () => {
  it('moves time to each event in turn, those of one time in the order asked for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 5 })), async (delays) => {
        const clock = new WorldClock(START_MS);
        const seen: (readonly [atMs: number, index: number])[] = [];
        await Promise.all(
          delays.map(async (forMs, index) => {
            await clock.sleep(forMs);
            seen.push([clock.now() - START_MS, index]);
          }),
        );
        const expected = delays.map((forMs, index) => [forMs, index] as const);
        expect(seen).toEqual(expected.sort(([a, i], [b, j]) => a - b || i - j));
      }),
    );
  });

  it('stands still while anything is left to do', async () => {
    const clock = new WorldClock(START_MS);
    const after = clock.sleep(3_600_000).then(() => clock.now());
    for (let step = 0; step < 100; step++) {
      await Promise.resolve();
      expect(clock.now()).toBe(START_MS);
    }
    expect(await after).toBe(START_MS + 3_600_000);
    expect(clock.monotonicNs()).toBe(3_600_000 * 1e6);
  });

  it('does all that follows from an event before the next one', async () => {
    const clock = new WorldClock(START_MS);
    const seen: string[] = [];
    const first = clock.sleep(1).then(async () => {
      for (let step = 0; step < 10; step++) await Promise.resolve();
      seen.push('what follows');
    });
    await Promise.all([first, clock.sleep(1).then(() => seen.push('next'))]);
    expect(seen).toEqual(['what follows', 'next']);
  });

  it('does not wait for what was called off', async () => {
    const clock = new WorldClock(START_MS);
    const seen: string[] = [];
    const callOff = clock.after(10, () => seen.push('called off'));
    clock.after(5, callOff);
    await clock.sleep(5);
    await nextTurn();
    await nextTurn();
    expect([seen, clock.now()]).toEqual([[], START_MS + 5]);
  });

  it('wakes who sleeps when the signal aborts, and at once if it has', async () => {
    const clock = new WorldClock(START_MS);
    const interruption = new AbortController();
    clock.after(10, () => interruption.abort());
    await clock.sleep(1_000, interruption.signal);
    await clock.sleep(1_000, interruption.signal);
    expect(clock.now()).toBe(START_MS + 10);
  });
});
