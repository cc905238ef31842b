import type { ThresholdResult, ThresholdTerms } from '../documents/load.ts';
import { ConfigurationError, ESTIMATE_SHAPES, type EstimateShape } from '../interface/index.ts';
import { suggest } from '../interface/suggestion.ts';

/** Clock of a latency: response time runs from the planned time, service time from the send. */
type LatencyClock = 'response' | 'service';

/** A percentile from 0 to 100, or a statistic that is known exactly. */
type LatencyStatistic = number | 'min' | 'mean' | 'max';

type Comparison = ThresholdTerms['comparison'];

/** A parsed threshold. */
export interface Threshold extends ThresholdTerms {
  /** The latency that it bounds; null for a rate or errors. */
  latency: { of: LatencyClock; at: LatencyStatistic } | null;
}

/** A part of a run: the requests of a shape, or of a stage, counted from 1. */
export type RunPart = Pick<ThresholdTerms, 'shape' | 'stage'>;

/** Measurements of the requests of a run, or of a part of it. */
export interface PartObservation {
  /** Of the successful requests, microseconds; null if none succeeded. */
  latencyUs(of: LatencyClock, at: LatencyStatistic): number | null;
  /** Failed share of the planned requests, 0 to 1; null if none was planned. */
  errorShare: number | null;
  /** Share of the planned requests that were sent again, 0 to 1; null if it is not known. */
  reconnectedShare: number | null;
}

/** Measurements that thresholds are judged by. */
export interface Observation extends PartObservation {
  /** Successful answers per second; NaN if nothing was planned. */
  ratePerS: number;
  /** Null if the parts of the run are not known. */
  part(part: RunPart): PartObservation | null;
}

/** Signs that people, and programs that mean well, write for those of the grammar. */
const SIGNS: Readonly<Record<string, string>> = {
  '‹': '<',
  '＜': '<',
  '›': '>',
  '＞': '>',
  '≤': '<=',
  '≥': '>=',
  '\u00b5': 'u',
  '\u03bc': 'u',
};

const EXPRESSION =
  /^\s*([A-Za-z][A-Za-z0-9._]*)\s*(?:\{([^{}]*)\})?\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*([A-Za-z%/]*)\s*$/;

const US_PER_UNIT: Readonly<Record<string, number>> = { us: 1, ms: 1000, s: 1_000_000 };

const COMPARE: Readonly<Record<Comparison, (observed: number, bound: number) => boolean>> = {
  '<': (observed, bound) => observed < bound,
  '<=': (observed, bound) => observed <= bound,
  '>': (observed, bound) => observed > bound,
  '>=': (observed, bound) => observed >= bound,
};

/**
 * Parses a threshold such as `p99<20ms`, `p99.9<=0.1s`, `max<1s`, `service.p99<800us`,
 * `rate>1000/s`, `errors<0.1%`, of a part of a run `p99{carpoolSeats}<30ms` or `p99{stage:2}<30ms` (docs/load.md, "Thresholds"). This is the only grammar of thresholds:
 * those of thresholds, conditions and objectives.
 *
 * @param field of the option, for the error
 * @throws ConfigurationError `THRESHOLD_INVALID`, which names the expression
 */
export function parseThreshold(expression: string, field = 'threshold'): Threshold {
  const refuse = (why: string): never => {
    throw new ConfigurationError('THRESHOLD_INVALID', `'${expression}': ${sentence(why)}`, {
      field,
    });
  };
  const plain = expression.replaceAll(/[‹＜›＞≤≥\u00b5\u03bc]/g, (sign) => SIGNS[sign] ?? sign);
  const [, name, braces, comparison, amount, unit = ''] = EXPRESSION.exec(plain) ?? [];
  if (name === undefined || amount === undefined) {
    return refuse(
      "write a metric, a comparison (<, <=, > or >=) and a value with its unit, as in 'p99<20ms'",
    );
  }
  const subject = parseMetric(name);
  if (subject === null) {
    return refuse(
      `there is no metric "${name}"; use a percentile such as p99 or p99.9, min, mean or max (each also as service.p99), rate (or rps), errors, or reconnected`,
    );
  }
  const part = braces === undefined ? {} : parsePart(braces);
  if (typeof part === 'string') return refuse(part);
  if (braces !== undefined && subject.metric === 'rate') {
    return refuse('the rate is of the whole run; of a part, bound a latency or the errors');
  }
  const bound = readBound(subject, Number(amount), unit);
  if (typeof bound === 'string') return refuse(bound);
  return {
    expression: expression.trim(),
    ...subject,
    ...part,
    metric: subject.metric + partName(part),
    comparison: comparison as Comparison,
    bound,
  };
}

/** Ends a reason with a full stop, unless it is a question. */
const sentence = (why: string): string => (why.endsWith('?') ? why : `${why}.`);

/** `{carpoolSeats}` or `{stage:2}`; empty for the whole run. */
function partName({ shape, stage }: RunPart): string {
  if (shape !== undefined) return `{${shape}}`;
  return stage === undefined ? '' : `{stage:${stage}}`;
}

const TAGS = ['shape', 'stage'];

/** Parses a shape, `shape:plain` or `stage:2`; returns what is wrong with any other text. */
function parsePart(text: string): RunPart | string {
  const [, tag = 'shape', name = ''] = /^\s*(?:(\w+)\s*:)?\s*(.*?)\s*$/.exec(text) ?? [];
  if (!TAGS.includes(tag)) {
    const hint = suggest(tag, TAGS, 'name a shape, as in {plain}, or a stage, as in {stage:2}');
    return `a part of a run is not named by "${tag}"; ${hint}`;
  }
  if (tag === 'stage') {
    if (/^[1-9]\d{0,5}$/.test(name)) return { stage: Number(name) };
    return `there is no stage "${name}"; stages are counted from 1, as in {stage:2}`;
  }
  const shape = ESTIMATE_SHAPES.find((known) => known === name);
  return shape === undefined ? noShape(name, ESTIMATE_SHAPES) : { shape };
}

function noShape(name: string, shapes: readonly string[]): string {
  return `there is no shape "${name}"; ${suggest(name, shapes, `there are ${shapes.join(', ')}`)}`;
}

/** Parts that the requests of a run can be divided into. */
export interface RunParts {
  shapes: readonly EstimateShape[];
  /** Number of stages; 0 without stages. */
  stages: number;
}

/**
 * Refuses a threshold on a part that the run does not have.
 *
 * @param field as in parseThreshold
 * @throws ConfigurationError `THRESHOLD_INVALID`, with the nearest name
 */
export function refuseUnknownPart(
  { expression, shape, stage }: Threshold,
  { shapes, stages }: RunParts,
  field: string,
): void {
  const refuse = (why: string): never => {
    throw new ConfigurationError('THRESHOLD_INVALID', `'${expression}': ${sentence(why)}`, {
      field,
    });
  };
  if (shape !== undefined && !shapes.includes(shape)) {
    const hint = suggest(shape, shapes, `its shapes: ${shapes.join(', ')}`);
    refuse(`the mix has no shape "${shape}"; ${hint}`);
  }
  if (stage !== undefined && stages === 0) refuse('the load has no stages');
  if (stage !== undefined && stage > stages) {
    refuse(`there is no stage ${stage}; the last one is {stage:${stages}}`);
  }
}

/**
 * Adds `errors<1%` where the errors have no bound: a target that fails fast would look fast
 * (docs/load.md, "Thresholds").
 */
export function withErrorBound(thresholds: readonly Threshold[]): readonly Threshold[] {
  if (thresholds.some(({ metric }) => metric === 'errors')) return thresholds;
  return [...thresholds, { ...parseThreshold('errors<1%'), isDefault: true }];
}

/**
 * Parses the objective of a search for the highest rate, such as `p99<20ms,errors<0.1%`. Each part
 * must get harder to hold as the rate grows, or there is no highest rate.
 *
 * @throws ConfigurationError `THRESHOLD_INVALID`, and `OBJECTIVE_INVALID`
 */
export function parseObjective(expressions: string, field = 'findMax'): Threshold[] {
  const objective = expressions.split(',').map((expression) => parseThreshold(expression, field));
  for (const { expression, unit, comparison } of objective) {
    const refuse = (why: string): never => {
      throw new ConfigurationError('OBJECTIVE_INVALID', `'${expression}': ${why}.`, { field });
    };
    if (unit === 'requests/s') {
      refuse('the rate is what is looked for; bound a latency or the errors, as in p99<20ms');
    }
    if (!comparison.startsWith('<')) {
      refuse(
        `a higher rate makes that easier to hold, so no rate is the highest; write ${unit === 'share' ? 'errors<0.1%' : 'p99<20ms'} or the like`,
      );
    }
  }
  return objective;
}

/**
 * Judges one threshold. A failed request counts as slower than any bound, and must not help to hold one
 * either; a threshold does not hold where nothing was measured.
 */
export function judgeThreshold(threshold: Threshold, observation: Observation): ThresholdResult {
  const { latency, ...terms } = threshold;
  const { all, ofSuccesses } = observedOf(threshold, observation);
  const isWithin = (value: number | null): boolean =>
    value !== null && COMPARE[terms.comparison](value, terms.bound);
  const held = isWithin(all) && isWithin(ofSuccesses);
  const isOther = latency !== null && ofSuccesses !== null && ofSuccesses !== all;
  return {
    ...terms,
    observed: all === Number.POSITIVE_INFINITY ? null : all,
    ...(isOther && { ofSuccesses }),
    ...(!held && isWithin(ofSuccesses) && { shortByFailures: true as const }),
    held,
  };
}

/** True if something was measured, and misses the threshold. */
export function isMissed(threshold: Threshold, observation: Observation): boolean {
  const { all } = observedOf(threshold, observation);
  return all !== null && !Number.isNaN(all) && !judgeThreshold(threshold, observation).held;
}

/** True for a threshold on the requests that were sent again, of the whole run or of a part. */
export const isOnReconnected = ({ metric }: Pick<Threshold, 'metric'>): boolean =>
  metric.startsWith('reconnected');

/** Tells whether a condition that ends a run is true; a failed request counts as slower than any bound. */
export function isTrue(condition: Threshold, observation: Observation): boolean {
  const { all } = observedOf(condition, observation);
  return all !== null && COMPARE[condition.comparison](all, condition.bound);
}

/** A value with failed requests counted as slower than any bound, and that of the successes alone. */
function observedOf(
  { latency, unit, ...part }: Threshold,
  observation: Observation,
): { all: number | null; ofSuccesses: number | null } {
  const isOfPart = part.shape !== undefined || part.stage !== undefined;
  const source = isOfPart ? observation.part(part) : observation;
  if (latency === null) {
    const share = isOnReconnected(part) ? source?.reconnectedShare : source?.errorShare;
    const value = (unit === 'requests/s' ? observation.ratePerS : share) ?? null;
    return { all: value, ofSuccesses: value };
  }
  if (source === null) return { all: null, ofSuccesses: null };
  return {
    all: withFailures(source, latency),
    ofSuccesses: source.latencyUs(latency.of, latency.at),
  };
}

/** Infinity if the statistic is that of a failed request; null if nothing was measured. */
function withFailures(
  source: PartObservation,
  { of, at }: NonNullable<Threshold['latency']>,
): number | null {
  const { errorShare } = source;
  if (errorShare === null || errorShare === 0) return source.latencyUs(of, at);
  if (at === 'min') return source.latencyUs(of, at) ?? Number.POSITIVE_INFINITY;
  if (at === 'mean' || at === 'max') return Number.POSITIVE_INFINITY;
  // The same rank among the successes, which come first.
  const percentile = at / (1 - errorShare);
  return percentile > 100 + 1e-9 ? Number.POSITIVE_INFINITY : source.latencyUs(of, percentile);
}

/** Share of a bound that the send lag p99 may be, and share of the tightest from which a delay is a stall. */
export const LAG_SHARE: number = 0.1;
/** A delay of this length is a stall for any threshold, microseconds. */
const LONGEST_DELAY_US = 10_000;
/** No generator is always faster, microseconds. */
const SHORTEST_STALL_US = 100;

/**
 * Delay of a generator from which a missed threshold may be its fault, microseconds: a tenth of the tightest upper
 * bound on a time.
 */
export function stallUsFor(thresholds: readonly Threshold[]): number {
  const bounds = thresholds
    .filter(({ latency, comparison }) => latency !== null && comparison.startsWith('<'))
    .map(({ bound }) => LAG_SHARE * bound);
  return Math.max(SHORTEST_STALL_US, Math.min(LONGEST_DELAY_US, ...bounds));
}

type Subject = Pick<Threshold, 'metric' | 'unit' | 'latency'>;

function parseMetric(name: string): Subject | null {
  if (name === 'rate' || name === 'rps') {
    return { metric: 'rate', unit: 'requests/s', latency: null };
  }
  if (name === 'errors' || name === 'reconnected') {
    return { metric: name, unit: 'share', latency: null };
  }
  const [, prefix, statistic = ''] = /^(?:(service|response)\.)?(.+)$/.exec(name) ?? [];
  const at = parseStatistic(statistic);
  if (at === null) return null;
  const of = prefix === 'service' ? 'service' : 'response';
  const plainName = typeof at === 'number' ? `p${at}` : at;
  const metric = of === 'service' ? `service.${plainName}` : plainName;
  return { metric, unit: 'us', latency: { of, at } };
}

function parseStatistic(text: string): LatencyStatistic | null {
  if (text === 'min' || text === 'mean' || text === 'max') return text;
  const digits = /^p(\d{1,3}(?:[._]\d+)?)$/.exec(text)?.[1];
  const percentile = Number(digits?.replace('_', '.') ?? 0);
  return percentile > 0 && percentile <= 100 ? percentile : null;
}

/** The bound in the unit of the metric, or what is wrong with it. */
function readBound(subject: Subject, amount: number, unit: string): number | string {
  switch (subject.unit) {
    case 'us': {
      const us = US_PER_UNIT[unit];
      if (us !== undefined) return amount * us;
      return unit === ''
        ? 'a latency needs a unit: us, ms or s'
        : `a latency is in us, ms or s, not in "${unit}"`;
    }
    case 'requests/s':
      if (unit === '/s' || unit === 'rps' || unit === '') return amount;
      return `a rate is in requests per second (/s or rps), not in "${unit}"`;
    case 'share':
      if (unit === '%') return amount / 100;
      return `${subject.metric} is a share of the planned requests, in %, not in "${unit || 'plain numbers'}"`;
  }
}
