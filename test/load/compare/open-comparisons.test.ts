import { describe, expect, it } from 'vitest';
import { compareRuns, type RunSample } from '../../../src/load/compare/compare-runs.ts';

/** Runs of another tool of which every second is slower by half, all with that many of 10,000 requests failed. */
function wavering(count: number, failed = 0): RunSample[] {
  return Array.from({ length: count }, (_, index) => {
    const us = index % 2 === 0 ? 400 : 600;
    return {
      startedAt: new Date(index * 1000).toISOString(),
      latencyUs: { response: { p50: us, p90: us, p99: us } },
      ofSuccesses: false,
      achieved: { planned: 10_000, ok: 10_000 - failed, failed },
      verdict: 'held',
    };
  });
}

const steady = (failed = 0): RunSample[] => wavering(11, failed).filter((_, at) => at % 2 === 0);

const compare = (base: readonly RunSample[], candidate: readonly RunSample[]) =>
  compareRuns({ base, candidate, seed: 1 });

describe('a comparison that decides nothing', () => {
  it('counts the runs needed from those of the smaller side', () => {
    const { verdict, quantiles, runsNeeded } = compare(wavering(6), wavering(12));
    expect(verdict).toBe('inconclusive');
    const [{ low, high } = { low: 0, high: 0 }] = quantiles;
    expect(runsNeeded).toBeGreaterThanOrEqual(6 * ((high - low) / 2 / 5) ** 2 - 1);
    expect(runsNeeded).toBeLessThan(9 * ((high - low) / 2 / 5) ** 2);
    expect(runsNeeded).toBeLessThan(1000);
  });

  it('names the scatter, and the quantiles that it leaves out', () => {
    const { verdict, reason } = compare(wavering(6, 300), wavering(12, 300));
    expect(verdict).toBe('inconclusive');
    expect(reason).toMatch(
      /^The runs scatter too much .* would do: \d+ more on each\. Not compared: p99, /,
    );
  });
});

it('a comparison of like runs says that every quantile is within the margin', () => {
  expect(compare(steady(), steady()).reason).toMatch(/^Every quantile lies within the margin/);
});

it('a comparison of runs of which most requests failed names no quantile', () => {
  const { reason } = compare(steady(6000), steady(6000));
  expect(reason).toMatch(/^Not compared: p50, p90, p99, /);
});
