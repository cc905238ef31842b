import { describe, expect, it } from 'vitest';
import { type BenchSample, compareBenches } from '../../../src/load/compare/compare-benches.ts';
import { compareRuns, type RunSample } from '../../../src/load/compare/compare-runs.ts';
import { createRandom, type Random } from '../../../src/load/seeded-random.ts';
import { failing, makeRuns, normal } from './scattered-runs.ts';

const compare = (base: RunSample[], candidate: RunSample[], marginPercent?: number) =>
  compareRuns({ base, candidate, marginPercent, seed: 1 });

describe('compareRuns', () => {
  it('finds a build slower, faster and the same', () => {
    const random = createRandom(1);
    const quiet = { spread: 0.015 };
    const base = makeRuns(10, random, quiet);
    expect(compare(base, makeRuns(10, random, { ...quiet, shift: 1.2 }))).toMatchObject({
      verdict: 'worse',
    });
    expect(compare(base, makeRuns(10, random, { ...quiet, shift: 0.8 }))).toMatchObject({
      verdict: 'better',
    });
    expect(compare(base, makeRuns(10, random, quiet))).toMatchObject({ verdict: 'equivalent' });
  });

  it('pairs runs that were interleaved, so that drift does not hide a shift', () => {
    const random = createRandom(4);
    const drifting = { drift: 0.1, spread: 0.005 };
    const base = makeRuns(10, random, drifting);
    const interleaved = compare(
      base,
      makeRuns(10, random, { ...drifting, shift: 1.1, startMs: 1000 }),
    );
    expect(interleaved).toMatchObject({ paired: true, verdict: 'worse' });
    const later = compare(base, makeRuns(10, random, { ...drifting, shift: 1.1, startMs: 1e6 }));
    expect(later).toMatchObject({ paired: false, verdict: 'inconclusive' });
  });

  it('says how many runs are needed if there are too few', () => {
    const random = createRandom(5);
    const few = compare(makeRuns(4, random), makeRuns(4, random, { shift: 2 }));
    expect(few).toMatchObject({ verdict: 'inconclusive', runsNeeded: 5, quantiles: [] });
    const noisy = compare(
      makeRuns(6, random, { spread: 0.3 }),
      makeRuns(6, random, { spread: 0.3, shift: 1.05 }),
    );
    expect(noisy.verdict).toBe('inconclusive');
    expect(noisy.runsNeeded).toBeGreaterThan(6);
    expect(noisy.reason).toContain(String(noisy.runsNeeded));
  });

  it('rejects an invalid run, and a run without latencies', () => {
    const random = createRandom(6);
    const base = makeRuns(6, random);
    const invalid = compare(base, makeRuns(6, random, { shift: 2, verdict: 'invalid' }));
    expect(invalid).toMatchObject({ verdict: 'inconclusive' });
    expect(invalid.reason).toContain('saturated');
  });

  it('judges a build that fails more as worse, however fast it fails', () => {
    const random = createRandom(7);
    const worn = makeRuns(6, random, { shift: 0.5, failed: 500 });
    const result = compare(makeRuns(6, random), worn);
    expect(result.verdict).toBe('worse');
    expect(result.reason).toContain('5.0 percentage points');
  });

  it('judges a few failures as worse unless chance explains them', () => {
    const random = createRandom(10);
    const base = makeRuns(8, random, { spread: 0.01 });
    const few = makeRuns(8, random, { spread: 0.01, failed: 3 });
    expect(compare(base, few)).toMatchObject({ verdict: 'worse' });
    const once = makeRuns(8, random, { spread: 0.01 });
    once[3] = failing(once[3], 1);
    expect(compare(base, once).verdict).toBe('equivalent');
    once[3] = failing(once[3], 1000);
    const unlucky = compare(base, once);
    expect(unlucky.verdict).toBe('inconclusive');
    expect(unlucky.reason).toContain('1.3 percentage points more');
  });

  it.each([
    ['as fast as those of the base', 1],
    ['twice as fast', 0.5],
    ['twice as slow', 2],
  ])('compares no failures: %s', (_case, shift) => {
    const random = createRandom(12);
    const all = { failed: 10_000, spread: 0.01, verdict: 'fell-short' } as const;
    const result = compare(makeRuns(8, random, all), makeRuns(8, random, { ...all, shift }));
    expect(result).toMatchObject({ verdict: 'inconclusive', quantiles: [] });
    expect(result.reason).toContain('No request succeeded in 8 of 8 runs of the base and 8 of 8');
    const good = makeRuns(8, random, { spread: 0.01 });
    expect(compare(good, makeRuns(8, random, { ...all, shift })).verdict).toBe('worse');
    expect(compare(makeRuns(8, random, all), good).verdict).toBe('inconclusive');
  });

  it('leaves out a quantile of another tool that may be the time of a failure', () => {
    const random = createRandom(13);
    const some = (shift?: number) =>
      makeRuns(8, random, { failed: 300, spread: 0.01, shift }).map((run) => ({
        ...run,
        ofSuccesses: false,
      }));
    const faster = compare(some(), some(0.5));
    expect(faster.verdict).toBe('inconclusive');
    expect(faster.quantiles.map(({ q }) => q)).toEqual([0.5, 0.9]);
    expect(faster.reason).toContain('p99, which may be the time of a failure');
    const slower = compare(some(), some(2));
    expect(slower.verdict).toBe('worse');
  });

  it.each([
    ['pairs', 1000],
    ['one side after the other', 1e6],
  ])(
    'decides on runs whose quantiles are tied, as steps of a histogram make them: %s',
    (_case, startMs) => {
      const tied = (valuesUs: readonly number[], atMs: number): RunSample[] =>
        makeRuns(valuesUs.length, createRandom(1), { startMs: atMs }).map((run, index) => {
          const us = valuesUs[index] as number;
          const response = { ...run.latencyUs.response, p50: us, p90: us, p99: us };
          return { ...run, latencyUs: { response, service: response } };
        });
      const base = tied([20_111, 20_111, 20_111, 20_111, 20_111, 20_127, 20_111, 20_111], 0);
      const slower = compare(base, tied(Array(8).fill(30_111), startMs));
      expect(slower).toMatchObject({ verdict: 'worse', paired: startMs === 1000 });
      expect(slower.quantiles[0]?.low).toBeGreaterThan(49);
      expect(slower.quantiles[0]?.high).toBeLessThan(51);
      const same = compare(base, tied(Array(8).fill(20_111), startMs));
      expect(same).toMatchObject({ verdict: 'equivalent', runsNeeded: null });
      const outlier = tied([20_111, 20_111, 20_111, 26_000, 20_111, 20_111, 20_111, 20_111], 0);
      expect(compare(outlier, tied(Array(8).fill(30_111), startMs)).verdict).toBe('worse');
    },
  );

  it('compares shifts with the given margin', () => {
    const random = createRandom(8);
    const base = makeRuns(12, random, { spread: 0.01 });
    const candidate = makeRuns(12, random, { spread: 0.01, shift: 1.1 });
    expect(compare(base, candidate, 20).verdict).toBe('equivalent');
    expect(compare(base, candidate, 5).verdict).toBe('worse');
    expect(compare(base, candidate).correction).toContain('Bonferroni');
  });
});

/** Benches of one build. */
function makeBenches(count: number, random: Random, shift = 1, startMs = 0): BenchSample[] {
  const at = (ns: number): number => Math.round(100 * ns * Math.exp(0.01 * normal(random))) / 100;
  return Array.from({ length: count }, (_, index) => ({
    startedAt: new Date(startMs + index * 2000).toISOString(),
    steps: [
      { name: 'read the head', nsMedian: at(200) },
      { name: 'price the route', nsMedian: at(400 * shift) },
      { name: 'rest of the request', nsMedian: 1000 * random() },
      { name: 'never taken', nsMedian: 0 },
    ],
    whole: { name: 'request', nsMedian: at(600 + 400 * (shift - 1)) },
  }));
}

describe('compareBenches', () => {
  it('judges each step, and the whole by the worst', () => {
    const random = createRandom(14);
    const base = makeBenches(8, random);
    const slower = compareBenches({ base, candidate: makeBenches(8, random, 1.2), seed: 1 });
    expect(slower).toMatchObject({ verdict: 'worse', correction: 'Bonferroni over 3 steps' });
    expect(slower.reason).toContain('price the route +');
    expect(slower.steps.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['request', 'worse'],
      ['read the head', 'equivalent'],
      ['price the route', 'worse'],
    ]);
    const same = compareBenches({ base, candidate: makeBenches(8, random), seed: 1 });
    expect(same).toMatchObject({ verdict: 'equivalent', runsNeeded: null });
    const faster = compareBenches({ base, candidate: makeBenches(8, random, 0.8), seed: 1 });
    expect(faster.verdict).toBe('better');
  });

  it('is inconclusive with one document per side, or without a common step', () => {
    const random = createRandom(15);
    const [one, other] = [makeBenches(1, random), makeBenches(1, random, 3)];
    expect(compareBenches({ base: one, candidate: other, seed: 1 })).toMatchObject({
      verdict: 'inconclusive',
      runsNeeded: 5,
      steps: [],
    });
    const renamed = makeBenches(6, random).map((bench) => ({ ...bench, whole: null, steps: [] }));
    const apart = compareBenches({ base: makeBenches(6, random), candidate: renamed, seed: 1 });
    expect(apart).toMatchObject({ verdict: 'inconclusive', runsNeeded: null });
    expect(apart.notCompared).toEqual(['request', 'read the head', 'price the route']);
  });
});
