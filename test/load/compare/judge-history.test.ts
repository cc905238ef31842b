import { describe, expect, it } from 'vitest';
import { type HistorySample, judgeHistory } from '../../../src/load/compare/judge-history.ts';
import { studentQuantile } from '../../../src/load/compare/pooled.ts';
import { createRandom } from '../../../src/load/seeded-random.ts';
import { failing, normal } from './scattered-runs.ts';

interface History {
  /** Size of each run, as a factor of p99. */
  readonly levels: readonly number[];
  readonly noise?: number;
  readonly label?: (at: number) => string;
}

/** A history with that much noise in p99, and a third and two thirds of it in p50 and p90. */
function history(seed: number, { levels, noise = 0.03, label }: History): HistorySample[] {
  const random = createRandom(seed, 'history');
  const noisy = (us: number, spread: number): number => us * Math.exp(spread * normal(random));
  return levels.map((level, at) => ({
    label: label?.(at),
    startedAt: new Date(at * 60_000).toISOString(),
    verdict: 'held',
    achieved: { planned: 10_000, ok: 10_000, failed: 0 },
    latencyUs: {
      response: {
        p50: noisy(4000, noise / 3),
        p90: noisy(9000, (noise * 2) / 3),
        p99: noisy(30_000 * level, noise),
      },
    },
  }));
}

const judge = (samples: readonly HistorySample[], last = 10) =>
  judgeHistory(samples, { last, marginPercent: 5 });
const verdictOf = (samples: readonly HistorySample[]) => judge(samples).verdict;

const level = (count: number, size = 1): number[] => Array.from({ length: count }, () => size);
const seeds = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** Number of histories in which one of the last two judgements is worse. */
const called = (count: number, step: number): number =>
  seeds(count).filter((seed) => {
    const samples = history(seed, { levels: [...level(12), step, step] });
    return [samples.slice(0, -1), samples].some((until) => verdictOf(until) === 'worse');
  }).length;

describe('judgeHistory', () => {
  it('calls a step of 10 % with 3 % of noise within two runs in 9 of 10 histories', () => {
    expect(called(200, 1.1)).toBeGreaterThanOrEqual(180);
  });

  it('calls none of 20 flat histories, and at most 1 of 20 among many', () => {
    expect(called(20, 1)).toBe(0);
    expect(called(200, 1)).toBeLessThanOrEqual(10);
  });

  it('finds quiet histories equivalent, and says how many runs noisy ones lack', () => {
    expect(verdictOf(history(1, { levels: level(12), noise: 0.01 }))).toBe('equivalent');
    const { verdict, reason, runsNeeded } = judge(history(1, { levels: level(12) }));
    expect(verdict).toBe('inconclusive');
    expect(runsNeeded).toBeGreaterThan(2);
    expect(reason).toContain(`About ${runsNeeded} runs of the newest build would do`);
  });

  it('judges all runs of the newest build, and decides with as many as it asked for', () => {
    const label = (at: number): string => (at < 10 ? `${at}` : 'new');
    const runsNeeded = judge(history(3, { levels: level(11), label })).runsNeeded ?? 0;
    expect(runsNeeded).toBeLessThan(20);
    const samples = history(3, { levels: level(10 + runsNeeded), label });
    expect(judge(samples).sides).toEqual({ before: 10, newest: runsNeeded });
    expect(verdictOf(samples)).toBe('equivalent');
  });

  it('calls what is far off in one run', () => {
    expect(judge(history(1, { levels: [...level(10), 1.3] }))).toMatchObject({
      verdict: 'worse',
      sides: { before: 10, newest: 1 },
    });
  });

  it('calls what is faster', () => {
    const faster = history(1, { levels: [...level(10), 0.8, 0.8], noise: 0.015 });
    expect(judge(faster)).toMatchObject({
      verdict: 'better',
      sides: { before: 10, newest: 2 },
    });
  });

  it('calls no run worse that is as fast again as before the last one', () => {
    for (const seed of seeds(20)) {
      const fixed = history(seed, { levels: [...level(10), 1.15, 1], noise: 0.01 });
      expect(verdictOf(fixed)).not.toBe('worse');
    }
  });

  it('compares with the last runs only', () => {
    const samples = history(1, { levels: [...level(20, 2), ...level(12)], noise: 0.01 });
    expect(judge(samples)).toMatchObject({
      verdict: 'equivalent',
      sides: { before: 10, newest: 2 },
    });
    expect(judge(samples, 5).sides).toEqual({ before: 5, newest: 2 });
  });

  it('says how many are missing before the newest', () => {
    expect(judge(history(1, { levels: level(3) }))).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('Runs like the newest before it: 2.'),
      runsNeeded: 4,
    });
    expect(verdictOf(history(1, { levels: level(1) }))).toBe('inconclusive');
  });

  it('calls failures that chance does not explain, and no few of them', () => {
    const samples = history(1, { levels: level(12), noise: 0.01 });
    const failed = (count: number): HistorySample[] => [
      ...samples.slice(0, -1),
      failing(samples.at(-1), count),
    ];
    expect(judge(failed(500))).toMatchObject({
      verdict: 'worse',
      reason: expect.stringContaining('more requests fail in the newest'),
    });
    expect(judge(failed(10_000))).toMatchObject({ verdict: 'worse', quantiles: [] });
    expect(verdictOf(failed(1))).toBe('equivalent');
  });
});

describe('studentQuantile', () => {
  it.each([
    [0.95, 1, 12.706],
    [0.95, 2, 4.303],
    [0.95, 9, 2.262],
    [0.99, 10, 3.169],
    [0.9, 5, 2.015],
  ])('%d of %d degrees of freedom: %d, as in tables', (share, degrees, t) => {
    expect(studentQuantile(share, degrees)).toBeCloseTo(t, 3);
  });
});
