import { describe, expect, it } from 'vitest';
import { searchHighestRate } from '../../../src/load/find-max/search.ts';
import type { TrialOutcome } from '../../../src/load/find-max/trial-book.ts';
import { createRandom, type Random } from '../../../src/load/seeded-random.ts';
import fc from '../../support/property.ts';

const HELD: TrialOutcome = { held: true, valid: true };
const FELL: TrialOutcome = { held: false, valid: true };
const INVALID: TrialOutcome = { held: false, valid: false };
const upTo = (capacity: number, rate: number): TrialOutcome => (rate <= capacity ? HELD : FELL);

/** Searches from 100/s; `trial` gets the rate and the number of trials so far. */
async function search(
  trial: (rate: number, before: number) => TrialOutcome | null,
  {
    mostTrials = 60,
    ...options
  }: { startRate?: number; mostTrials?: number; mostRate?: number } = {},
) {
  const tried: number[] = [];
  const result = await searchHighestRate({
    startRate: 100,
    isOver: (trials) => trials >= mostTrials,
    ...options,
    trial: async (rate) => {
      tried.push(rate);
      return trial(rate, tried.length - 1);
    },
  });
  return { ...result, tried };
}

describe('searchHighestRate', () => {
  it('ends with the capacity between its bounds, 3 % apart', async () => {
    const capacity = fc.double({ min: 5, max: 500_000, noNaN: true });
    await fc.assert(
      fc.asyncProperty(capacity, fc.integer({ min: 1, max: 5000 }), async (most, startRate) => {
        const { low, high, ending } = await search((rate) => upTo(most, rate), { startRate });
        expect(ending).toBe('found');
        expect(low).toBeLessThanOrEqual(most);
        expect(high).toBeGreaterThan(most);
        expect(((high ?? 0) - low) / (high ?? 1)).toBeLessThanOrEqual(0.031);
      }),
    );
  });

  it('tries both bounds again in turn before it answers', async () => {
    const { low, high, tried } = await search((rate) => upTo(730, rate));
    expect(tried.slice(-2).sort((a, b) => a - b)).toEqual([low, high]);
    expect(tried.filter((rate) => rate === low).length).toBeGreaterThanOrEqual(2);
    expect(tried.filter((rate) => rate === high).length).toBeGreaterThanOrEqual(2);
  });

  it('repeats no trial below a bound while trials agree', async () => {
    const { tried, low, high } = await search((rate) => upTo(730, rate));
    const others = tried.filter((rate) => rate !== low && rate !== high);
    expect(new Set(others).size).toBe(others.length);
    expect(tried.length).toBeLessThanOrEqual(12);
  });

  it('takes a missed trial as a bound only if a second one misses too', async () => {
    const { low, high, tried } = await search((rate, before) =>
      before === 0 || rate === 400 ? (before % 2 === 0 ? FELL : HELD) : upTo(730, rate),
    );
    expect(Math.min(...tried)).toBe(50);
    expect(low).toBeGreaterThan(700);
    expect(low).toBeLessThanOrEqual(730);
    expect(high).toBeGreaterThan(730);
  });

  it('goes up again if the start fell short repeatedly in a bad moment', async () => {
    const { low, high, ending, tried } = await search((rate, before) =>
      before < 2 ? FELL : upTo(730, rate),
    );
    expect(ending).toBe('found');
    expect(low).toBeGreaterThan(700);
    expect(high).toBeGreaterThan(730);
    // Tried again after the first that held, not only after the search below it.
    expect(tried.slice(0, 6)).toEqual([100, 50, 25, 50, 50, 100]);
  });

  it('discards a lucky trial', async () => {
    let lucky = true;
    const { low, high } = await search((rate) => {
      if (rate <= 730 || !lucky) return upTo(730, rate);
      lucky = false;
      return HELD;
    });
    expect(low).toBeGreaterThan(700);
    expect(low).toBeLessThanOrEqual(730);
    expect(high).toBeGreaterThan(730);
  });

  it('repeats an invalid trial, and never counts it against the target', async () => {
    const { low, high, ending } = await search((rate, before) =>
      before % 3 === 0 ? INVALID : upTo(730, rate),
    );
    expect(ending).toBe('found');
    expect(low).toBeGreaterThan(700);
    expect(low).toBeLessThanOrEqual(730);
    expect(high).toBeGreaterThan(730);
  });

  it('distinguishes the generator as the limit from the target', async () => {
    const result = await search((rate) => (rate <= 730 ? HELD : INVALID));
    expect(result).toMatchObject({ ending: 'generator-limited', high: null });
    expect(result.low).toBeGreaterThan(700);
    expect(result.limitedAt).toBeGreaterThan(730);
    expect((result.limitedAt ?? 0) / result.low).toBeLessThan(1.04);
  });

  it('blames no generator that other processes left without a core', async () => {
    const starved = await search((rate) => (rate <= 730 ? HELD : { ...INVALID, starved: true }));
    expect(starved).toMatchObject({ ending: 'machine-disturbed', high: null });
    expect(starved.low).toBeGreaterThan(700);
    expect(starved.limitedAt).toBeGreaterThan(730);
    const atTimes = await search((rate, before) =>
      rate <= 730 ? HELD : { ...INVALID, starved: before % 2 === 0 },
    );
    expect(atTimes.ending).toBe('generator-limited');
  });

  it('blames no generator where the target once fell short', async () => {
    const seen = new Set<number>();
    const { ending } = await search((rate) => {
      if (rate <= 730) return HELD;
      if (seen.has(rate)) return INVALID;
      seen.add(rate);
      return FELL;
    });
    expect(ending).toBe('machine-disturbed');
  });

  it('distinguishes a busy machine from a generator at its limit', async () => {
    const result = await search((rate, before) => (before < 5 ? upTo(1e6, rate) : INVALID));
    expect(result).toMatchObject({ ending: 'machine-disturbed', low: 1600, high: null });
  });

  it('goes down from a rate that the generator cannot reach to one that can be measured', async () => {
    const result = await search((rate) => (rate > 9000 ? INVALID : upTo(730, rate)), {
      startRate: 30_000,
    });
    expect(result.ending).toBe('found');
    expect(result.low).toBeLessThanOrEqual(730);
    expect(result.high).toBeGreaterThan(730);
  });

  it('gives up if no rate can be measured', async () => {
    const result = await search(() => INVALID);
    expect(result).toMatchObject({ ending: 'machine-disturbed', low: 0, high: null });
    expect(result.tried).toEqual([100, 100, 100, 50, 50, 50, 25, 25, 25]);
  });

  it('gives up at the lowest rate that is at least one a second', async () => {
    const { tried } = await search(() => FELL, { startRate: 5 });
    expect([...new Set(tried)]).toEqual([5, 2.5, 1.25]);
    const from2 = await search(() => FELL, { startRate: 2 });
    expect([...new Set(from2.tried)]).toEqual([2, 1]);
    const invalidBelow = await search((rate) => (rate > 2 ? FELL : INVALID), { startRate: 5 });
    expect(invalidBelow).toMatchObject({ ending: 'generator-limited', low: 0 });
  });

  it('goes up to the highest rate that it may try, and no further', async () => {
    const { tried } = await search(() => HELD, { mostRate: 800 });
    expect([...new Set(tried)]).toEqual([100, 200, 400, 800]);
    const from900 = await search(() => HELD, { startRate: 900_000 });
    expect([...new Set(from900.tried)]).toEqual([900_000, 1_800_000]);
  });

  it.each([
    ['nothing-held', FELL, { low: 0 }],
    ['nothing-fell-short', HELD, { high: null }],
    ['interrupted', null, { low: 0, high: null }],
  ] as const)('ends with %s', async (ending, outcome, bounds) => {
    expect(await search(() => outcome, { mostRate: 10_000 })).toMatchObject({ ending, ...bounds });
  });

  it('ends within its limit of trials on an unstable target, as not settled', async () => {
    const wavering = fc.array(fc.constantFrom(HELD, FELL, INVALID), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(wavering, async (outcomes) => {
        const { tried, low, high } = await search(
          (_rate, before) => outcomes[before % outcomes.length] ?? HELD,
          { mostTrials: 25 },
        );
        expect(tried.length).toBeLessThanOrEqual(25);
        if (high !== null) expect(low).toBeLessThan(high);
      }),
    );
    const single = await search((rate) => upTo(730, rate), { mostTrials: 5 });
    expect(single).toMatchObject({ ending: 'not-settled', low: 600, high: null });
    const cut = await search((rate) => upTo(100_000, rate), { mostTrials: 5 });
    expect(cut).toMatchObject({ ending: 'not-settled', low: 1600, high: null });
  });
});

interface Disturbance {
  /** Probability that a quiet moment ends before a trial, 0 to 1. */
  begins: number;
  /** Number of trials that a bad moment may last. */
  longest: number;
  /** Share of the disturbed trials that are recognized; the others fall short. */
  seen: number;
}

/** A target with a capacity, trials that vary by 1 %, and a machine with bad moments. */
function simulate(capacity: number, { begins, longest, seen }: Disturbance, random: Random) {
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let left = 0;
  return (rate: number): TrialOutcome => {
    left = left > 0 ? left - 1 : random() < begins ? 1 + Math.floor(random() * longest) : 0;
    if (left > 0 && random() < 0.85) return random() < seen ? INVALID : FELL;
    return upTo(capacity, rate * (1 + 0.01 * normal()));
  };
}

describe('on a machine with bad moments', () => {
  const SEEDS = 400;

  it.each([
    ['quiet', { begins: 0, longest: 0, seen: 0 }, 1, 1],
    ['disturbed now and then', { begins: 0.08, longest: 3, seen: 0.5 }, 0.98, 0.98],
    ['disturbed often', { begins: 0.15, longest: 3, seen: 0.5 }, 0.97, 0.98],
    ['disturbed often, and mostly unseen', { begins: 0.15, longest: 3, seen: 0.2 }, 0.9, 0.94],
  ])('%s: the answer lies within 5 % of the capacity', async (_name, disturbance, share, sure) => {
    let good = 0;
    let found = 0;
    let goodFound = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = createRandom(seed, 'simulated trials');
      const capacity = 20 * 10_000 ** random();
      const { low, high, ending } = await search(simulate(capacity, disturbance, random), {
        startRate: 200,
      });
      const within = low >= 0.95 * capacity && high !== null && high <= 1.05 * capacity;
      if (within) good++;
      if (ending === 'found') found++;
      if (ending === 'found' && within) goodFound++;
    }
    expect(good / SEEDS).toBeGreaterThanOrEqual(share);
    expect(goodFound / found).toBeGreaterThanOrEqual(sure);
  });
});
