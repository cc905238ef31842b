import { describe, expect, it } from 'vitest';
import { differenceOfMeans } from '../../src/load/compare/bootstrap.ts';
import { compareRuns, type RunSample } from '../../src/load/compare/compare-runs.ts';
import { selfTest } from '../../src/load/compare/self-test.ts';
import { createRandom, type Random } from '../../src/load/seeded-random.ts';

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

interface Scatter {
  shift?: number;
  spread?: number;
  startMs?: number;
  drift?: number;
  failed?: number;
  verdict?: RunSample['verdict'];
}

/** Runs whose quantiles scatter log-normally, as those of real runs do; drift hits both sides. */
function makeRuns(
  count: number,
  random: Random,
  { shift = 1, spread = 0.03, startMs = 0, drift = 0, failed = 0, verdict = 'held' }: Scatter = {},
): RunSample[] {
  return Array.from({ length: count }, (_, index) => {
    const scale = shift * Math.exp(drift * index);
    const at = (us: number): number => us * scale * Math.exp(spread * normal(random));
    const response = {
      min: 50,
      p50: at(400),
      p90: at(900),
      p99: at(3000),
      p99_9: at(8000),
      p99_99: at(9000),
      max: at(10_000),
      mean: at(500),
      count: 10_000,
    };
    return {
      startedAt: new Date(startMs + index * 2000).toISOString(),
      latencyUs: { response, service: response },
      achieved: { planned: 10_000, failed },
      verdict,
    };
  });
}

const compare = (base: RunSample[], candidate: RunSample[], marginPercent?: number) =>
  compareRuns({ base, candidate, marginPercent, seed: 1 });

describe('differenceOfMeans', () => {
  it.each([true, false])('holds the true difference as often as it says, paired: %s', (paired) => {
    const random = createRandom(3);
    let held = 0;
    const rounds = 300;
    for (let round = 0; round < rounds; round++) {
      const draw = (mean: number): number[] =>
        Array.from({ length: 8 }, () => mean + normal(random));
      const { low, high } = differenceOfMeans({
        a: draw(0),
        b: draw(1),
        paired,
        confidence: 0.95,
        random,
        resamples: 500,
      });
      if (low <= 1 && 1 <= high) held++;
    }
    expect(held / rounds).toBeGreaterThan(0.92);
  });

  it('is a point where nothing scatters', () => {
    const options = { confidence: 0.95, random: createRandom(1), paired: false };
    expect(differenceOfMeans({ ...options, a: [1, 1], b: [3, 3] })).toEqual({
      estimate: 2,
      low: 2,
      high: 2,
    });
  });
});

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

  it('finds 10 % in at least 90 of 100, and raises at most 8 false alarms in 100', () => {
    const random = createRandom(2);
    const count = (shift: number, wanted: (verdict: string) => boolean): number =>
      Array.from({ length: 100 }, () =>
        compare(
          makeRuns(12, random, { spread: 0.025 }),
          makeRuns(12, random, { shift, spread: 0.025, startMs: 1000 }),
        ),
      ).filter(({ verdict }) => wanted(verdict)).length;
    expect(count(1.1, (verdict) => verdict === 'worse')).toBeGreaterThanOrEqual(90);
    expect(count(1, (verdict) => verdict === 'worse' || verdict === 'better')).toBeLessThanOrEqual(
      8,
    );
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

  it('says how many runs would do where there are too few', () => {
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

  it('takes no invalid run, and no run without latencies', () => {
    const random = createRandom(6);
    const base = makeRuns(6, random);
    const invalid = compare(base, makeRuns(6, random, { shift: 2, verdict: 'invalid' }));
    expect(invalid).toMatchObject({ verdict: 'inconclusive' });
    expect(invalid.reason).toContain('saturated');
  });

  it('takes a build that fails more for worse, however fast it fails', () => {
    const random = createRandom(7);
    const failing = makeRuns(6, random, { shift: 0.5, failed: 500 });
    const result = compare(makeRuns(6, random), failing);
    expect(result.verdict).toBe('worse');
    expect(result.reason).toContain('5.0 percentage points');
  });

  it('holds shifts against the margin given', () => {
    const random = createRandom(8);
    const base = makeRuns(12, random, { spread: 0.01 });
    const candidate = makeRuns(12, random, { spread: 0.01, shift: 1.1 });
    expect(compare(base, candidate, 20).verdict).toBe('equivalent');
    expect(compare(base, candidate, 5).verdict).toBe('worse');
    expect(compare(base, candidate).correction).toContain('Bonferroni');
  });
});

describe('selfTest', () => {
  it('raises few false alarms on runs of one build', () => {
    const random = createRandom(9);
    const same = selfTest(makeRuns(20, random), { seed: 1, trials: 100 });
    expect(same).toMatchObject({ trials: 100, runsPerSide: 10 });
    expect(same.falseAlarms).toBeLessThanOrEqual(8);
  });
});
