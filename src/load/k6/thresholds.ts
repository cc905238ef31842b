import { type LoadPlan, measuredStages, totalRequests } from '../plan.ts';
import { isOnReconnected, type RunPart, type Threshold } from '../threshold.ts';
import { inDecimals } from './scenarios.ts';

/** Custom counter of the script: successful answers in the measured window. */
export const OK_COUNTER = 'estimates_ok';

/** A threshold of k6: its expression, or with an end of the run where it is not met. */
export type K6Threshold = string | { readonly threshold: string; readonly abortOnFail: true };

/** The thresholds of a plan, as `options.thresholds` of k6 takes them. */
export interface K6Thresholds {
  /** Expressions by metric, with the tags of its part in braces. */
  readonly thresholds: Readonly<Record<string, readonly K6Threshold[]>>;
  /** Sentences on those that k6 has no expression for. */
  readonly notTranslated: readonly string[];
}

/** Custom rate of the script: malformed answers among those whose shape is checked. */
export const MALFORMED_RATE = 'estimates_malformed';

/** Custom trend of the script: the duration of each request, of a failed one beyond any bound. */
export const JUDGED_DURATION = 'estimates_duration';

/** The thresholds of a load, and its plan. */
export interface JudgedPlan {
  readonly plan: Pick<LoadPlan, 'model' | 'stages' | 'warmupMs' | 'durationMs' | 'validateShare'>;
  readonly thresholds: readonly Threshold[];
  readonly abortOn: readonly Threshold[];
}

type Comparison = Threshold['comparison'];
/** A metric and an expression on it. */
type Bound = [metric: string, expression: string];
type Terms = Omit<Threshold, 'expression'>;

/** A condition of `abortOn` ends the run once it is true, one of k6 once it is not. */
const OPPOSITE: Readonly<Record<Comparison, Comparison>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};

/**
 * Translates the thresholds of a load; each is on the scenario `measured` alone. A part without any request
 * meets none, as in a run of our own.
 */
export function thresholdsOf({ plan, thresholds, abortOn }: JudgedPlan): K6Thresholds {
  const byMetric: Record<string, K6Threshold[]> = {
    // In the summary, these are the figures of the window without the warm-up.
    [of('http_req_duration')]: [],
    [of('http_req_duration', {}, SUCCESSES)]: [],
    [of('http_req_failed')]: [],
  };
  const add = (metric: string, threshold: K6Threshold): void => {
    const former = byMetric[metric] ?? [];
    if (!former.includes(threshold)) byMetric[metric] = [...former, threshold];
  };
  add(of('http_reqs'), 'count>0');
  const notTranslated: string[] = [];
  for (const threshold of thresholds) {
    if (isOnReconnected(threshold)) {
      notTranslated.push(
        `the threshold '${threshold.expression}': k6 does not count the requests that it sends again.`,
      );
      continue;
    }
    add(of('http_reqs', threshold), 'count>0');
    for (const [metric, expression] of expressionsOf(threshold, plan)) add(metric, expression);
  }
  for (const { expression, ...threshold } of abortOn) {
    if (threshold.unit === 'requests/s') {
      notTranslated.push(
        `the condition '${expression}': k6 ends a run early by a latency or by failures, not by a rate.`,
      );
      continue;
    }
    const [metric, bound] = whileRunning(threshold);
    add(metric, { threshold: bound, abortOnFail: true });
  }
  return { thresholds: byMetric, notTranslated };
}

/** Tag of the requests that were answered with 200. */
const SUCCESSES = 'expected_response:true';

/** A metric of the measured window, or of a part of it. */
function of(metric: string, { shape, stage }: RunPart = {}, ...more: readonly string[]): string {
  const tags = [
    'scenario:measured',
    ...(shape === undefined ? [] : [`shape:${shape}`]),
    ...(stage === undefined ? [] : [`stage:${stage}`]),
    ...more,
  ];
  return `${metric}{${tags.join(',')}}`;
}

function expressionsOf(threshold: Threshold, plan: JudgedPlan['plan']): Bound[] {
  const { unit, comparison, bound } = threshold;
  if (unit === 'us') return [latencyOf(threshold, comparison)];
  if (unit === 'requests/s') {
    // A rate of k6 is over its whole run, from the warm-up to the last answer.
    const count = inDecimals((bound * plan.durationMs) / 1000);
    return [[OK_COUNTER, `count${comparison}${count}`]];
  }
  const failed = failedOf(threshold, comparison);
  // What bounds failures from below is for a target that is meant to fail.
  if (!comparison.startsWith('<')) return [failed];
  const expressions = [failed];
  if (plan.validateShare > 0) {
    expressions.push([of(MALFORMED_RATE, threshold), `rate${comparison}${inDecimals(bound)}`]);
  }
  const isWhole = threshold.shape === undefined && threshold.stage === undefined;
  if (isWhole && plan.model === 'open') {
    const count = inDecimals(bound * totalRequests(measuredStages(plan)));
    expressions.push([of('dropped_iterations'), `count${comparison}${count}`]);
  }
  return expressions;
}

/** The opposite of a bound, which k6 ends the run by. */
function whileRunning(threshold: Terms): Bound {
  const opposite = OPPOSITE[threshold.comparison];
  return threshold.unit === 'us' ? latencyOf(threshold, opposite) : failedOf(threshold, opposite);
}

/** A failed request is beyond an upper bound, and does not help to hold a lower one. */
function latencyOf({ latency, bound, ...part }: Terms, comparison: Comparison): Bound {
  const metric = comparison.startsWith('<')
    ? of(JUDGED_DURATION, part)
    : of('http_req_duration', part, SUCCESSES);
  const at = latency?.at ?? 'mean';
  const statistic = typeof at === 'number' ? `p(${at})` : at === 'mean' ? 'avg' : at;
  return [metric, `${statistic}${comparison}${inDecimals(bound / 1000)}`];
}

const failedOf = ({ bound, ...part }: Terms, comparison: Comparison): Bound => [
  of('http_req_failed', part),
  `rate${comparison}${inDecimals(bound)}`,
];
