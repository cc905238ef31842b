import type { LoadDocument, RunsSpread, Spread } from '../../documents/load.ts';
import { median } from '../record/median.ts';

/** A run with the figures of a spread. */
export type SpreadRun = Pick<LoadDocument, 'verdict' | 'latencyUs' | 'interrupted'> & {
  readonly achieved: Pick<LoadDocument['achieved'], 'rate' | 'planned' | 'failed'>;
};

/**
 * Median and spread of the rate, the response time and the failures of several runs; null if none of
 * them is usable and whole.
 *
 * @param isUsable default: valid runs only
 */
export function spreadOf<R extends SpreadRun>(
  runs: readonly R[],
  isUsable: (run: R) => boolean = ({ verdict }) => verdict !== 'invalid',
): RunsSpread | null {
  const whole = runs.filter(
    (run) => isUsable(run) && run.interrupted !== true && run.latencyUs.response.count > 0,
  );
  if (whole.length === 0) return null;
  const of = (read: (run: SpreadRun) => number): Spread => {
    const values = whole.map(read);
    return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
  };
  return {
    runs: whole.length,
    rate: of(({ achieved }) => achieved.rate),
    p50: of(({ latencyUs }) => latencyUs.response.p50),
    p90: of(({ latencyUs }) => latencyUs.response.p90),
    p99: of(({ latencyUs }) => latencyUs.response.p99),
    p99_9: of(({ latencyUs }) => latencyUs.response.p99_9),
    failed: of(({ achieved: { planned, failed } }) => (planned === 0 ? 0 : failed / planned)),
  };
}
