import { type LoadPlan, measuredStages, requestsOf, type Stage } from '../plan.ts';

/** A scenario of k6, as its `options.scenarios` takes it. */
export type K6Scenario = Readonly<Record<string, unknown>> & { readonly executor: string };

/** The scenarios of a plan, by their names. */
export interface K6Scenarios {
  /** Left out if the plan sends nothing before the measured window. */
  readonly warmup?: K6Scenario;
  readonly measured: K6Scenario;
}

/** Most digits behind the point of a rate: k6 takes whole numbers, per any unit of time. */
const MOST_DIGITS = 9;

/** Translates the model and the stages of a plan; the warm-up is a scenario of its own. */
export function scenariosOf(plan: LoadPlan): K6Scenarios {
  const { warmupMs, timeoutMs } = plan;
  const isWarmedUp = warmupMs > 0 && (plan.model === 'closed' || firstRate(plan) > 0);
  const measured = {
    ...(plan.model === 'closed' ? closed(plan, plan.durationMs) : open(plan, measuredStages(plan))),
    startTime: k6Duration(isWarmedUp ? warmupMs : 0),
    gracefulStop: k6Duration(timeoutMs),
  };
  if (!isWarmedUp) return { measured };
  const executor =
    plan.model === 'closed' ? closed(plan, warmupMs) : open(plan, plan.stages.slice(0, 1));
  // As in a run of our own, its last requests are answered in the window; k6 makes more VUs for that.
  const gracefulStop = k6Duration(timeoutMs);
  return { warmup: { ...executor, gracefulStop, exec: 'warmUp' }, measured };
}

/** Number of requests that the warm-up of an open plan sends, which those of the window follow. */
export function requestsOfWarmup(plan: LoadPlan): number {
  const [first] = plan.stages;
  return first === undefined || plan.warmupMs === 0 ? 0 : Math.ceil(requestsOf(first));
}

const firstRate = ({ stages: [first] }: LoadPlan): number => first?.fromRate ?? 0;

const closed = ({ connections }: LoadPlan, durationMs: number): K6Scenario => ({
  executor: 'constant-vus',
  vus: connections,
  duration: k6Duration(durationMs),
});

function open({ connections }: LoadPlan, stages: readonly Stage[]): K6Scenario {
  const scale = scaleOf(stages);
  const inUnits = (rate: number): number => Math.round(rate * scale);
  const common = {
    timeUnit: k6Duration(scale * 1000),
    preAllocatedVUs: connections,
    maxVUs: connections,
  };
  const [first, ...others] = stages;
  if (first !== undefined && others.length === 0 && first.fromRate === first.toRate) {
    return {
      executor: 'constant-arrival-rate',
      rate: inUnits(first.fromRate),
      duration: k6Duration(first.durationMs),
      ...common,
    };
  }
  return {
    executor: 'ramping-arrival-rate',
    startRate: inUnits(first?.fromRate ?? 0),
    stages: stages.flatMap((stage, index) => rampOf(stage, stages[index - 1], inUnits)),
    ...common,
  };
}

/** A stage of k6 begins at the rate of the one before it; a jump is a stage without a duration. */
function rampOf(
  { fromRate, toRate, durationMs }: Stage,
  before: Stage | undefined,
  inUnits: (rate: number) => number,
): { target: number; duration: string }[] {
  const isJump = before !== undefined && before.toRate !== fromRate;
  return [
    ...(isJump ? [{ target: inUnits(fromRate), duration: '0s' }] : []),
    { target: inUnits(toRate), duration: k6Duration(durationMs) },
  ];
}

/** Seconds in which each rate is a whole number of requests: a power of ten. */
function scaleOf(stages: readonly Stage[]): number {
  const rates = stages.flatMap(({ fromRate, toRate }) => [fromRate, toRate]);
  for (let digits = 0; digits < MOST_DIGITS; digits++) {
    const scale = 10 ** digits;
    if (rates.every((rate) => Number(rate.toFixed(digits)) === rate)) return scale;
  }
  return 10 ** MOST_DIGITS;
}

/** A number without an exponent, which k6's expressions do not know; nine digits behind the point. */
export function inDecimals(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, '');
}

/** A duration as k6 reads it. */
export function k6Duration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${inDecimals(ms)}ms`;
}
