import { describe, expect, it } from 'vitest';
import {
  failedShare,
  judgeFailures,
  pointsInWords,
  type RunOutcome,
} from '../../../src/load/compare/failures.ts';

const outcome = (failed: number, planned = 10_000): RunOutcome => ({
  achieved: { planned, ok: planned - failed, failed },
});

const runs = (failed: readonly number[]): RunOutcome[] => failed.map((count) => outcome(count));
const eight = (failed: number): readonly number[] => Array(8).fill(failed);
const five = (failed: number): readonly number[] => Array(5).fill(failed);

describe('judgeFailures', () => {
  it.each([
    ['none on either side', eight(0), eight(0), 0, 'no-more'],
    ['fewer than before', eight(10), eight(0), -0.1, 'no-more'],
    ['ten in each run', eight(0), eight(10), 0.1, 'more'],
    ['every request', eight(0), eight(10_000), 100, 'more'],
    ['one request of 80,000', eight(0), [1, 0, 0, 0, 0, 0, 0, 0], 0.00125, 'no-more'],
    ['1.1 % of the requests, in one run', eight(0), [0, 0, 0, 900, 0, 0, 0, 0], 1.125, 'perhaps'],
    ['0.9 % of the requests, in one run', eight(0), [0, 0, 0, 700, 0, 0, 0, 0], 0.875, 'no-more'],
    ['1 % of the requests, in one run', eight(0), [0, 0, 0, 800, 0, 0, 0, 0], 1, 'no-more'],
    ['4 in all runs but one', five(0), [4, 4, 4, 4, 0], 0.032, 'more'],
    ['100 in every second run', eight(0), [100, 0, 100, 0, 100, 0, 100, 0], 0.5, 'no-more'],
    // Runs are not compared in pairs: 20 more in each are few beside the scatter of both sides.
    [
      '20 more in runs that scatter by 50',
      [0, 100, 0, 100, 0],
      [20, 120, 20, 120, 20],
      0.2,
      'no-more',
    ],
    // The root of a half times a half of 50,000, on both sides, is 158.
    ['400 more than 25,000', five(5000), five(5080), 0.8, 'more'],
    ['300 more than 25,000', five(5000), five(5060), 0.6, 'no-more'],
    // A count scatters by its root: 5 are 2 standard errors above 0, 10 are 3.
    ['5 more than none', five(0), five(1), 0.01, 'no-more'],
    ['10 more than none', five(0), five(2), 0.02, 'more'],
    // 15 are 1.9 standard errors of 25 + 40, and 20 are 2.4 of 25 + 45.
    ['15 more than 25', five(5), five(8), 0.03, 'no-more'],
    ['20 more than 25', five(5), five(9), 0.04, 'more'],
  ])('judges %s', (_case, base, candidate, points, verdict) => {
    const result = judgeFailures(runs(base), runs(candidate), 1);
    expect(result.points).toBeCloseTo(points, 9);
    expect(result.verdict).toBe(verdict);
  });

  it('weighs a failure by how many requests were planned', () => {
    const many = five(0).map(() => outcome(0, 1_000_000));
    expect(judgeFailures(runs(five(0)), runs(five(1)), 1).verdict).toBe('no-more');
    expect(judgeFailures(many, runs(five(1)), 1).verdict).toBe('more');
  });
});

describe('failedShare', () => {
  it('is a share of the planned requests, and 0 without any', () => {
    expect(failedShare(outcome(5, 20))).toBe(0.25);
    expect(failedShare(outcome(0, 0))).toBe(0);
  });
});

describe('pointsInWords', () => {
  it.each([
    [0.0123, '0.012 percentage points'],
    [5, '5.0 percentage points'],
    [10, '10.0 percentage points'],
    [12.34, '12.3 percentage points'],
    [100, '100.0 percentage points'],
  ])('writes %d as %s', (points, words) => {
    expect(pointsInWords(points)).toBe(words);
  });
});
