import { describe, expect, it } from 'vitest';
import { differenceOfMeans } from '../../../src/load/compare/bootstrap.ts';
import { selfTest } from '../../../src/load/compare/compare-documents.ts';
import { compareRuns, type RunSample } from '../../../src/load/compare/compare-runs.ts';
import { createRandom } from '../../../src/load/seeded-random.ts';
import { failing, makeRuns, normal } from './scattered-runs.ts';

// How often a statement holds over hundreds of comparisons.

const compare = (base: RunSample[], candidate: RunSample[]) =>
  compareRuns({ base, candidate, seed: 1 });

describe('differenceOfMeans', () => {
  it.each([true, false])(
    'contains the true difference at the stated confidence, paired: %s',
    (paired) => {
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
    },
  );
});

describe('compareRuns', () => {
  it('finds 10 % in at least 90 of 100, and raises at most 5 false alarms in 100', {
    tags: ['long'],
  }, () => {
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
      5,
    );
  });

  it('finds 25 % under late generators by service time, and raises at most 5 false alarms in 100', {
    tags: ['long'],
  }, () => {
    const random = createRandom(5);
    const lateness = [5, 15, 30, 60];
    const verdicts = (shift: number, asMeasured: (runs: RunSample[]) => RunSample[]) =>
      Array.from({ length: 100 }, (_, index) => {
        const lateUs = lateness[index % lateness.length] as number;
        const [base, candidate] = [
          makeRuns(6, random, { lateUs }),
          makeRuns(6, random, { lateUs, shift, startMs: 1000 }),
        ].map(asMeasured) as [RunSample[], RunSample[]];
        return compare(base, candidate).verdict;
      });
    const withoutService = (runs: RunSample[]): RunSample[] =>
      runs.map((run) => ({ ...run, latencyUs: { response: run.latencyUs.response } }));
    const worse = (found: readonly string[]): number =>
      found.filter((verdict) => verdict === 'worse').length;
    expect(worse(verdicts(1.25, withoutService))).toBeLessThanOrEqual(55);
    expect(worse(verdicts(1.25, (runs) => runs))).toBeGreaterThanOrEqual(70);
    const alike = verdicts(1, (runs) => runs);
    expect(
      alike.filter((verdict) => verdict === 'worse' || verdict === 'better').length,
    ).toBeLessThanOrEqual(5);
  });

  it('seldom judges failures of one build as worse', { tags: ['long'] }, () => {
    const random = createRandom(11);
    const bursts = (): RunSample[] =>
      makeRuns(8, random, { spread: 0.01 }).map((run) =>
        failing(run, random() < 0.3 ? Math.floor(100 * random()) : 0),
      );
    const alarms = Array.from({ length: 200 }, () => compare(bursts(), bursts())).filter(
      ({ verdict }) => verdict === 'worse',
    );
    expect(alarms.length).toBeLessThanOrEqual(6);
  });
});

describe('selfTest', () => {
  it.each([undefined, 15, 60])(
    'raises at most 5 false alarms in 100 on runs of one build, late by %s us',
    { tags: ['long'] },
    (lateUs) => {
      const runs = makeRuns(20, createRandom(9), { ...(lateUs !== undefined && { lateUs }) });
      const same = selfTest(runs, { seed: 1, trials: 100 });
      expect(same).toMatchObject({ trials: 100, runsPerSide: 10 });
      expect(same.falseAlarms).toBeLessThanOrEqual(5);
    },
  );
});
