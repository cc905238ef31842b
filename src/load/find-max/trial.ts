import type { Trial } from '../../documents/find-max.ts';
import { withoutAdvice } from '../result/advice.ts';
import type { LoadResult } from '../result/build.ts';
import { errorShareOf } from '../result/parts.ts';
import type { Threshold } from '../threshold.ts';
import type { Mix } from '../workload/requests.ts';

type TrialRun = Pick<
  LoadResult,
  'achieved' | 'errors' | 'intended' | 'latencyUs' | 'reason' | 'verdict'
> & {
  readonly generator: Pick<LoadResult['generator'], 'coreWait'>;
};

/** Least number of samples beyond a percentile: with fewer, chance decides it. */
const SAMPLES_BEYOND = 10;
const LEAST_REQUESTS = 10;
/** Trial length in bounds of the latency: a backlog that grows by 3 % passes the bound in it. */
const BOUNDS_PER_TRIAL = 40;
const LONGEST_TRIAL_MS = 60_000;
const LEAST_BACKLOG_S = 0.5;

/** Judges the run at a rate as a trial: an invalid one does not count, for or against the target. */
export function describeTrial(rate: number, result: TrialRun): Trial {
  const { achieved, errors, latencyUs, verdict, intended } = result;
  const { coreWait } = result.generator;
  return {
    rate,
    held: verdict === 'held',
    valid: verdict !== 'invalid',
    achievedRate: achieved.rate,
    latencyUs,
    errors: errorShareOf({ ...achieved, errors }) ?? 0,
    durationS: intended.durationS,
    coreWait,
    reason: withoutAdvice(result.reason),
  };
}

/** Describes a trial that was cut short; it does not count in the search. */
export function interruptedTrial(rate: number, result: TrialRun): Trial {
  // Planned times are even, so their number gives the length of the window.
  const durationS = Math.min(result.intended.durationS, result.achieved.planned / rate);
  const when =
    result.achieved.planned === 0 ? 'during its warm-up' : `after ${durationS.toFixed(1)} s`;
  return {
    ...describeTrial(rate, result),
    held: false,
    valid: false,
    interrupted: true,
    durationS,
    reason: `Interrupted ${when}; it says nothing about this rate.`,
  };
}

/** Duration that suffices for the percentiles of the objective, and for a slow backlog to show. */
export function trialDurationMs(
  rate: number,
  durationMs: number,
  objective: readonly Threshold[],
  mix: Mix,
): number {
  const samples = Math.max(
    LEAST_REQUESTS,
    ...objective.map((one) => samplesFor(one) / shareOf(one, mix)),
  );
  const needed = Math.max(
    (samples / rate) * 1000,
    (BOUNDS_PER_TRIAL * latencyBoundUs(objective)) / 1000,
  );
  return Math.max(durationMs, Math.min(needed, LONGEST_TRIAL_MS));
}

/** Requests needed for a percentile, or for one failure to be at most the bound. */
function samplesFor({ unit, latency, bound }: Threshold): number {
  if (unit === 'share') return bound > 0 ? 1 / bound : 0;
  if (typeof latency?.at !== 'number' || latency.at >= 100) return 0;
  return SAMPLES_BEYOND / (1 - latency.at / 100);
}

/** Share of the requests that a threshold is on. */
function shareOf({ shape }: Threshold, mix: Mix): number {
  const total = [...mix.values()].reduce((sum, weight) => sum + weight, 0);
  return shape === undefined ? 1 : (mix.get(shape) ?? total) / total;
}

/** Backlog at which a trial can end, in seconds of its schedule. */
export function mostBacklogS(objective: readonly Threshold[]): number {
  return Math.max(LEAST_BACKLOG_S, (5 * latencyBoundUs(objective)) / 1e6);
}

/** The loosest upper bound of a latency in the objective, microseconds; 0 for none. */
function latencyBoundUs(objective: readonly Threshold[]): number {
  return Math.max(
    0,
    ...objective.map(({ latency, bound, comparison }) =>
      latency !== null && comparison.startsWith('<') ? bound : 0,
    ),
  );
}
