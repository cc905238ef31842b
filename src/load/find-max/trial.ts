import type { LatencySummaryUs } from '../record/histogram.ts';
import type { LoadResult } from '../result/load-result.ts';
import type { Threshold } from '../threshold.ts';

/** One rate that was tried. */
export interface Trial {
  /** Requests a second that were due. */
  rate: number;
  /** The objective held. */
  held: boolean;
  /** False where the generator or the machine, not the target, was the limit. */
  valid: boolean;
  /** Successful answers a second. */
  achievedRate: number;
  latencyUs: { response: LatencySummaryUs; service: LatencySummaryUs };
  /** Failed share of the requests planned, 0 to 1. */
  errors: number;
  /** The measured window, seconds. */
  durationS: number;
  /** Share of the time in which a generator got no core; null where the system does not tell. */
  coreWait: number | null;
  /** Why it came out so. */
  reason: string;
  /** Cut short by an interruption: what was measured until then, which says nothing of the rate. */
  interrupted?: boolean;
}

const DEFAULT_DURATION_MS = 10_000;
/** So many samples must lie beyond a percentile, or chance decides it. */
const SAMPLES_BEYOND = 10;
const LEAST_REQUESTS = 10;
/** A backlog that grows by the precision of 3 % must get past the bound within a trial. */
const BOUNDS_PER_TRIAL = 40;
const LONGEST_TRIAL_MS = 60_000;
const LEAST_BACKLOG_S = 0.5;
/** From here on what fell short may have been the machine: others took its cores. */
const MOST_CORE_WAIT = 0.1;

/** The share of the schedule that a trial must have seen to say that its rate holds. */
const LEAST_OF_THE_SCHEDULE = 0.99;

/**
 * A trial out of the run at its rate.
 *
 * Response times run from the planned time, so whatever delays the generator makes them longer: what
 * held in spite of that holds. What fell short is held against the target only if the generator was
 * healthy and the machine not taken up by others.
 */
export function describeTrial(rate: number, result: LoadResult): Trial {
  const { achieved, latencyUs, verdict, intended, thresholds } = result;
  const { coreWait } = result.generator;
  const whole = achieved.planned >= LEAST_OF_THE_SCHEDULE * rate * intended.durationS;
  const inSpite =
    verdict === 'invalid' && achieved.ok > 0 && whole && thresholds.every(({ held }) => held);
  const disturbed = verdict === 'fell-short' && coreWait !== null && coreWait > MOST_CORE_WAIT;
  return {
    rate,
    held: verdict === 'held' || inSpite,
    valid: inSpite || (verdict !== 'invalid' && !disturbed),
    achievedRate: achieved.rate,
    latencyUs,
    errors: achieved.planned > 0 ? achieved.failed / achieved.planned : 0,
    durationS: intended.durationS,
    coreWait,
    reason: inSpite
      ? `The objective held, though the generator was late and that counts against it. ${result.reason}`
      : disturbed
        ? `${result.reason} But the machine was busy with other things: for ${(coreWait * 100).toFixed(0)} % of the time the generator got no core.`
        : result.reason,
  };
}

/** A trial that was cut short; it is no vote of the search. */
export function interruptedTrial(rate: number, result: LoadResult): Trial {
  // Arrivals come evenly, so what was planned tells how long the window was.
  const durationS = Math.min(result.intended.durationS, result.achieved.planned / rate);
  const told =
    result.achieved.planned === 0 ? 'during its warm-up' : `after ${durationS.toFixed(1)} s`;
  return {
    ...describeTrial(rate, result),
    held: false,
    valid: false,
    interrupted: true,
    durationS,
    reason: `Interrupted ${told}; it says nothing of this rate.`,
  };
}

/** Long enough for what the objective looks at, at this rate, and to see a slow backlog. */
export function trialDurationMs(
  rate: number,
  durationMs: number | undefined,
  objective: readonly Threshold[],
): number {
  const samples = Math.max(LEAST_REQUESTS, ...objective.map(samplesFor));
  const needed = Math.max(
    (samples / rate) * 1000,
    (BOUNDS_PER_TRIAL * latencyBoundUs(objective)) / 1000,
  );
  return Math.max(durationMs ?? DEFAULT_DURATION_MS, Math.min(needed, LONGEST_TRIAL_MS));
}

/** Beyond a percentile, or for one failure not to be a larger share than the bound. */
function samplesFor({ metric, latency, bound }: Threshold): number {
  if (metric === 'errors') return bound > 0 ? 1 / bound : 0;
  if (typeof latency?.at !== 'number' || latency.at >= 100) return 0;
  return SAMPLES_BEYOND / (1 - latency.at / 100);
}

/** The backlog at which a trial need not go on, in seconds of its schedule. */
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
