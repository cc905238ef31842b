import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Ledger } from '../../src/spending/index.ts';
import { openLedger } from '../../src/spending/index.ts';
import { lockWorld, OWNER } from '../support/lock-world.ts';
import fc from '../support/property.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 2, 2, 12);

/** A machine whose wall clock can be set, and whose time since its start cannot. */
class Machine {
  trueMs = NOON;
  setByMs = 0;
  boot = 1;
  readonly path: string = join(temporaryFolder(), 'ledger.jsonl');

  get wallMs(): number {
    return this.trueMs + this.setByMs;
  }

  open(): Promise<Ledger> {
    return openLedger(
      this.path,
      lockWorld({
        owner: { ...OWNER, bootId: `boot-${this.boot}` },
        wall: () => this.wallMs,
        uptimeMs: () => this.trueMs - NOON,
      }),
    );
  }

  /** Spends up to an allowance; returns the number of requests that the ledger let go. */
  async spend(partner: string): Promise<number> {
    const ledger = await this.open();
    let sent = 0;
    while (ledger.spentOf('http://t', partner, this.wallMs).platform < 10) {
      ledger.spend('http://t', partner, ['platform'], this.wallMs);
      sent++;
    }
    ledger.close();
    return sent;
  }
}

it.each([
  ['26 h ahead', 26 * HOUR],
  ['3 days ahead', 72 * HOUR],
  ['26 h back', -26 * HOUR],
  ['3 days back', -72 * HOUR],
])(
  'a clock that stands %s for a while lets no request beyond an allowance go',
  async (_far, by) => {
    const machine = new Machine();
    expect(await machine.spend('p')).toBe(10);
    machine.setByMs = by;
    machine.trueMs += 60_000;
    expect(await machine.spend('p')).toBe(0);
    expect(await machine.spend('other')).toBe(10);
    machine.setByMs = 0;
    machine.trueMs += 60_000;
    expect([await machine.spend('p'), await machine.spend('other')]).toEqual([0, 0]);
  },
);

it('a wrong clock of another start of the system keeps what it holds for old', async () => {
  const machine = new Machine();
  await machine.spend('p');
  machine.boot++;
  machine.setByMs = 26 * HOUR;
  // Nothing says that this clock is wrong; the other partner's run sums up what is old to it.
  await machine.spend('other');
  expect(readFileSync(machine.path, 'utf8')).toContain('"day":"2026-03-02","sum":{"platform":10');
  machine.setByMs = 0;
  expect(await machine.spend('p')).toBe(0);
});

it('a day later by both clocks the allowance is whole, and the file short', async () => {
  const machine = new Machine();
  for (let day = 0; day < 3; day++) {
    expect(await machine.spend('p')).toBe(10);
    machine.trueMs += 25 * HOUR;
  }
  (await machine.open()).close();
  expect(readFileSync(machine.path, 'utf8').split('\n')).toHaveLength(4);
});

it.each([
  ['jumped 1560 min forward', 26 * HOUR],
  ['went 1560 min back', -26 * HOUR],
  [null, 60_000],
  [null, 0],
])('a clock that was set is reported: %s', async (words, by) => {
  const machine = new Machine();
  await machine.spend('p');
  machine.setByMs = by;
  const ledger = await machine.open();
  if (words === null) expect(ledger.clockNote).toBe(null);
  else expect(ledger.clockNote).toContain(words);
});

it('a ban holds until both clocks say that it is over', async () => {
  const machine = new Machine();
  const first = await machine.open();
  first.ban('http://t', 'p', machine.wallMs + 25 * HOUR, machine.wallMs);
  first.close();
  machine.setByMs = 26 * HOUR;
  machine.trueMs += HOUR;
  const later = await machine.open();
  expect(later.bannedUntilMs('http://t', 'p', machine.wallMs)).toBe(machine.wallMs + 24 * HOUR);
  expect(later.wholeAgainMs('http://t', 'p', machine.wallMs)).toBe(machine.wallMs + 24 * HOUR);
  machine.trueMs += 24 * HOUR;
  expect(later.bannedUntilMs('http://t', 'p', machine.wallMs)).toBe(0);
});

it('no sequence of set clocks and runs sends more than an allowance in a day', async () => {
  const step = fc.record({
    waitMs: fc.integer({ min: 0, max: 13 * HOUR }),
    setByMs: fc.constantFrom(0, 0, 26 * HOUR, -26 * HOUR, 72 * HOUR, -72 * HOUR),
    partner: fc.constantFrom('p', 'q'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const machine = new Machine();
      const sent: { partner: string; atMs: number; count: number }[] = [];
      for (const { waitMs, setByMs, partner } of steps) {
        machine.trueMs += waitMs;
        machine.setByMs = setByMs;
        sent.push({ partner, atMs: machine.trueMs, count: await machine.spend(partner) });
      }
      for (const { partner, atMs } of sent) {
        const day = sent.filter(
          (one) => one.partner === partner && one.atMs <= atMs && one.atMs > atMs - 24 * HOUR,
        );
        expect(day.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(10);
      }
    }),
    { numRuns: 20 },
  );
});
