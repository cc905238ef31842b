import { describe, expect, it } from 'vitest';
import { Arrivals } from '../../../src/server/http/accept-batching.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets the loop turn until so many have begun. */
async function until(begun: readonly number[], count: number): Promise<void> {
  while (begun.length < count) await turn();
}

describe('connections that arrive', () => {
  it('begin together, in their order, when none came in a turn of the loop', async () => {
    const arrivals = new Arrivals();
    const begun: number[] = [];
    for (const number of [1, 2, 3]) {
      arrivals.add(() => begun.push(number));
      await turn();
      expect(begun).toEqual([]);
    }
    await until(begun, 1);
    expect(begun).toEqual([1, 2, 3]);
  });

  it('begin after a while though more keep coming', async () => {
    const arrivals = new Arrivals();
    const begun: number[] = [];
    for (let number = 0; number < 1000; number++) {
      arrivals.add(() => begun.push(number));
      await turn();
    }
    expect(begun.length).toBeGreaterThan(200);
    await until(begun, 1000);
    expect(begun).toEqual(Array.from({ length: 1000 }, (_, number) => number));
  });

  it('wait anew after others have begun', async () => {
    const arrivals = new Arrivals();
    const begun: number[] = [];
    arrivals.add(() => begun.push(1));
    await until(begun, 1);
    arrivals.add(() => begun.push(2));
    expect(begun).toEqual([1]);
    await until(begun, 2);
    expect(begun).toEqual([1, 2]);
  });
});
