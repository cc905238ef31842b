import { describe, expect, it } from 'vitest';
import { Arrivals } from '../../src/server/http/arrivals.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets so many turns of the loop go by, with an arrival in each. */
async function arrive(arrivals: Arrivals, turns: number, begin: () => void): Promise<void> {
  for (let at = 0; at < turns; at++) {
    arrivals.add(begin);
    await turn();
  }
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
    while (begun.length === 0) await turn();
    expect(begun).toEqual([1, 2, 3]);
  });

  it('begin after a while though more keep coming', async () => {
    const arrivals = new Arrivals();
    let begun = 0;
    await arrive(arrivals, 1000, () => begun++);
    expect(begun).toBeGreaterThan(200);
    while (begun < 1000) await turn();
    expect(begun).toBe(1000);
  });

  it('wait anew after others have begun', async () => {
    const arrivals = new Arrivals();
    let first = false;
    let second = false;
    arrivals.add(() => (first = true));
    while (!first) await turn();
    arrivals.add(() => (second = true));
    expect(second).toBe(false);
    while (!second) await turn();
  });
});
