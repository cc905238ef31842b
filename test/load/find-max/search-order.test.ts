import { expect, it } from 'vitest';
import { searchHighestRate } from '../../../src/load/find-max/search.ts';

/** Searches from 100/s on a target that holds 730/s, where `isOdd` may turn an outcome round. */
async function search(isOdd: (rate: number, before: readonly number[]) => boolean) {
  const tried: number[] = [];
  const result = await searchHighestRate({
    startRate: 100,
    isOver: (trials) => trials >= 60,
    trial: async (rate) => {
      const held = rate <= 730 !== isOdd(rate, tried);
      tried.push(rate);
      return { held, valid: true };
    },
  });
  return { ...result, tried };
}

it('a search names no limit of the generator where the target fell short', async () => {
  const { ending, limitedAt, high } = await search(() => false);
  expect({ ending, limitedAt }).toEqual({ ending: 'found', limitedAt: null });
  expect(high).toBeGreaterThan(730);
});

it('a rate that once held and once fell short is tried again at once', async () => {
  let contradicted = -1;
  const { tried, low } = await search((rate, before) => {
    if (contradicted >= 0 || rate > 730 || rate < 700 || !before.includes(rate)) return false;
    contradicted = before.length;
    return true;
  });
  expect(contradicted).toBeGreaterThan(0);
  expect(tried[contradicted + 1]).toBe(tried[contradicted]);
  expect(low).toBeGreaterThan(700);
});
