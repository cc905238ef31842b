import { ConfigurationError } from '../interface/index.ts';

type Comparison = '<' | '<=' | '>' | '>=';

/** What a threshold looks at. */
export type ThresholdMetric =
  | {
      kind: 'latency';
      /** Response time from the planned time, service time from the send. */
      of: 'response' | 'service';
      /** A percentile from 0 to 100, or what is known exactly. */
      at: number | 'min' | 'mean' | 'max';
    }
  | { kind: 'rate' }
  | { kind: 'errors' };

/** A threshold, read. */
export interface Threshold {
  /** As it was written. */
  expression: string;
  metric: ThresholdMetric;
  comparison: Comparison;
  /** Microseconds of a latency, requests a second of a rate, 0 to 1 of errors. */
  bound: number;
}

/** What a threshold is judged by. */
export interface Observation {
  /** Microseconds; null where nothing was measured. */
  latencyUs(of: 'response' | 'service', at: number | 'min' | 'mean' | 'max'): number | null;
  /** Successful answers a second. */
  ratePerS: number;
  /** Failed share of what was planned, 0 to 1; null where nothing was planned. */
  errorShare: number | null;
}

/** A threshold and how it came out; observed in the units of `bound`. */
export interface ThresholdResult {
  expression: string;
  observed: number | null;
  held: boolean;
}

const UNIT_US: Readonly<Record<string, number>> = { us: 1, µs: 1, μs: 1, ms: 1000, s: 1_000_000 };

const EXPRESSION =
  /^\s*([A-Za-z][A-Za-z0-9._]*)\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*([A-Za-zµμ%/]*)\s*$/;

/**
 * Reads a threshold such as `p99<20ms`, `p99.9<=0.1s`, `max<1s`, `service.p99<800us`,
 * `rate>1000/s`, `errors<0.1%`.
 *
 * @param source the flag or the field it was given in, named in the error
 * @throws ConfigurationError `THRESHOLD_INVALID`, which names the expression
 */
export function parseThreshold(expression: string, source = '--threshold'): Threshold {
  const refuse = (why: string): never => {
    throw new ConfigurationError('THRESHOLD_INVALID', `${source} '${expression}': ${why}.`);
  };
  const [, name, comparison, amount, unit = ''] = EXPRESSION.exec(expression) ?? [];
  if (name === undefined || amount === undefined) {
    return refuse("write a metric, a comparison and a value with its unit, as in 'p99<20ms'");
  }
  const metric = parseMetric(name);
  if (metric === null) {
    return refuse(
      `there is no metric "${name}"; there are p50, p99, p99.9 and the like, min, mean, max, each also as service.p99, and rate and errors`,
    );
  }
  const bound = readBound(metric, Number(amount), unit);
  if (typeof bound === 'string') return refuse(bound);
  return { expression: expression.trim(), metric, comparison: comparison as Comparison, bound };
}

/**
 * Reads several thresholds separated by commas, as an objective has them.
 *
 * @throws ConfigurationError `THRESHOLD_INVALID`
 */
export function parseThresholds(expressions: string, source: string): Threshold[] {
  return expressions.split(',').map((expression) => parseThreshold(expression, source));
}

/**
 * Reads the objective of a search for the highest rate, such as `p99<20ms,errors<0.1%`. Each part has
 * to get harder to hold as the rate grows, or there is no highest rate that holds it.
 *
 * @throws ConfigurationError `THRESHOLD_INVALID`, and `OBJECTIVE_INVALID`
 */
export function parseObjective(expressions: string, source: string): Threshold[] {
  const objective = parseThresholds(expressions, source);
  refuseEndlessObjective(objective, source);
  return objective;
}

/**
 * Refuses an objective that a higher rate does not make harder to hold.
 *
 * @throws ConfigurationError `OBJECTIVE_INVALID`
 */
export function refuseEndlessObjective(objective: readonly Threshold[], source: string): void {
  for (const { expression, metric, comparison } of objective) {
    const refuse = (why: string): never => {
      throw new ConfigurationError('OBJECTIVE_INVALID', `${source} '${expression}': ${why}.`);
    };
    if (metric.kind === 'rate') {
      refuse('the rate is what is looked for; bound a latency or the errors, as in p99<20ms');
    }
    if (!comparison.startsWith('<')) {
      refuse(
        `a higher rate makes that easier to hold, so there is no highest; write ${metric.kind === 'errors' ? 'errors<0.1%' : 'p99<20ms'} or the like`,
      );
    }
  }
}

/** Judges one threshold; one that nothing was measured for does not hold. */
export function judgeThreshold(threshold: Threshold, observation: Observation): ThresholdResult {
  const observed = observe(threshold.metric, observation);
  return {
    expression: threshold.expression,
    observed,
    held: observed !== null && compare(observed, threshold.comparison, threshold.bound),
  };
}

function parseMetric(name: string): ThresholdMetric | null {
  if (name === 'rate' || name === 'errors') return { kind: name };
  const [, side = 'response', metric = ''] = /^(?:(service|response)\.)?(.+)$/.exec(name) ?? [];
  const of = side === 'service' ? 'service' : 'response';
  if (metric === 'min' || metric === 'mean' || metric === 'max') {
    return { kind: 'latency', of, at: metric };
  }
  const digits = /^p(\d{1,3}(?:[._]\d+)?)$/.exec(metric)?.[1];
  if (digits === undefined) return null;
  const at = Number(digits.replace('_', '.'));
  return at > 0 && at <= 100 ? { kind: 'latency', of, at } : null;
}

/** The bound in its own unit, or what is wrong with it. */
function readBound(metric: ThresholdMetric, amount: number, unit: string): number | string {
  switch (metric.kind) {
    case 'latency': {
      const us = UNIT_US[unit];
      if (us !== undefined) return amount * us;
      return unit === ''
        ? 'a latency needs a unit: us, ms or s'
        : `a latency is in us, ms or s, not in "${unit}"`;
    }
    case 'rate':
      if (unit === '/s' || unit === '') return amount;
      return `a rate is in requests a second (/s), not in "${unit}"`;
    case 'errors':
      if (unit === '%') return amount / 100;
      return `errors are a share of the requests planned, in %, not in "${unit || 'plain numbers'}"`;
  }
}

function observe(metric: ThresholdMetric, observation: Observation): number | null {
  switch (metric.kind) {
    case 'latency':
      return observation.latencyUs(metric.of, metric.at);
    case 'rate':
      return observation.ratePerS;
    case 'errors':
      return observation.errorShare;
  }
}

function compare(observed: number, comparison: Comparison, bound: number): boolean {
  switch (comparison) {
    case '<':
      return observed < bound;
    case '<=':
      return observed <= bound;
    case '>':
      return observed > bound;
    case '>=':
      return observed >= bound;
  }
}
