import type { SeriesPoint } from '../../documents/load.ts';
import type { GeneratorReport } from '../engine/engine.ts';
import type {
  FindFaults,
  GeneratorFault,
  MeasuredGenerators,
  Need,
} from '../measured-generators.ts';
import { type LoadModel, plannedBySecond } from '../plan.ts';
import { LatencyHistogram } from '../record/histogram.ts';
import { LAG_SHARE, type Threshold } from '../threshold.ts';
import { adviceFor } from './advice.ts';

/**
 * Needs of each threshold, by model and by what it bounds. `load`: what a late generator makes harder to hold,
 * which are upper bounds on response time, errors and rates. `time`: service time, and lower bounds on any time,
 * which a late generator makes longer. In the closed model a late generator loads less, and one whose event loop is
 * always busy reads answers late: `time` is any time there. `figures`: what the figures of a run need, of which a
 * lack is reported even if no threshold is on one.
 */
const NEEDS: Readonly<
  Record<LoadModel, Readonly<Record<'load' | 'time' | 'figures', readonly Need[]>>>
> = {
  open: {
    load: ['running', 'awake', 'all-sent', 'in-time'],
    time: ['running', 'awake', 'all-sent', 'in-time', 'at-once'],
    figures: [],
  },
  closed: {
    load: ['running', 'core'],
    time: ['running', 'core', 'loop'],
    figures: ['loop'],
  },
};

/** Largest share of the time in which a generator may have no core: of the closed model, and of one whose requests wait. */
const MOST_CORE_WAIT = 0.05;
/** Largest share by which the requests of a span may be too few, or too many. */
const MOST_OFF = 0.05;
/** Least requests of a span; it lasts at least a second. */
const SPAN_REQUESTS = 100;
/** Event loop utilization from which requests and answers wait for the generator. */
const FULL_LOOP = 0.95;
/**
 * Event loop utilization from which the slowest answers may have waited for the generator, and how far they may have
 * missed an upper bound by that, as a multiple of it.
 */
const BUSY_LOOP = 0.8;
const MOST_MISSED_BY = 2;

/**
 * True for a threshold whose value a late generator changes either way; in the closed model for any time, and for a
 * rate that was missed, which a faster generator might have reached.
 */
function isOnTime({ latency, comparison, unit }: Threshold, model: LoadModel, held: boolean) {
  if (model === 'closed') return latency !== null || (unit === 'requests/s' && !held);
  return latency !== null && (latency.of === 'service' || comparison.startsWith('>'));
}

/**
 * Tells whether a fault of a generator spoils what a threshold says.
 *
 * @param threshold null for a run without any
 * @param held whether the threshold was met
 * @param missedBy observed value as a multiple of the bound; infinite where failed requests missed it
 */
export function spoils(
  { need, lagUs = 0, busy = 1 }: GeneratorFault,
  model: LoadModel,
  threshold: Threshold | null,
  held: boolean,
  missedBy = 1,
): boolean {
  if (need === 'loop') {
    // An answer that is read late makes a time longer, and by no more than a busy loop is late.
    const isUpperBound = threshold?.latency && threshold.comparison.startsWith('<');
    if (isUpperBound && !held) return missedBy < (busy >= FULL_LOOP ? Infinity : MOST_MISSED_BY);
    if (busy < FULL_LOOP) return false;
  }
  const isOfTime = threshold !== null && isOnTime(threshold, model, held);
  const needs = NEEDS[model][isOfTime ? 'time' : 'load'];
  return (
    needs.includes(need) && (need !== 'at-once' || lagUs > LAG_SHARE * (threshold?.bound ?? 0))
  );
}

/** Tells whether a fault spoils the figures of a run, whatever its thresholds. */
export const spoilsFigures = ({ need, busy = 1 }: GeneratorFault, model: LoadModel): boolean =>
  NEEDS[model].figures.includes(need) && busy >= FULL_LOOP;

/** True if a generator had no core for longer than the closed model allows. */
export const isStarved = (usage: Starving): boolean => starvedShare(usage) > MOST_CORE_WAIT;

interface Starving {
  readonly coreWait: number | null;
  readonly heldUp?: number;
}

const starvedShare = ({ coreWait, heldUp = 0 }: Starving): number =>
  Math.max(coreWait ?? 0, heldUp);

/** Distance of a generator from a need, and the rest of the sentence. */
interface Excess {
  readonly by: number;
  readonly words: string;
}

/** Faults of each generator for itself: merged figures would hide one bad of eight. */
const OF_EACH: Readonly<
  Record<Exclude<Need, 'in-time' | 'at-once'>, (report: GeneratorReport) => Excess | null>
> = {
  running: ({ usage: { stoodStillMs } }) =>
    stoodStillMs > 0
      ? { by: stoodStillMs, words: `stood still for ${(stoodStillMs / 1000).toFixed(1)} s.` }
      : null,
  core: ({ usage }) => {
    if (!isStarved(usage)) return null;
    const by = starvedShare(usage);
    const how = by === usage.coreWait ? 'ready to run and got no core' : 'stopped, or got no core,';
    return { by, words: `was ${how} for ${(by * 100).toFixed(1)} % of the time.` };
  },
  awake: ({ usage: { heldUp } }) =>
    heldUp > MOST_CORE_WAIT
      ? {
          by: heldUp,
          words: `woke late for ${(heldUp * 100).toFixed(1)} % of the time, while requests waited for a connection.`,
        }
      : null,
  loop: ({ usage }) =>
    usage.eventLoopUtilization >= BUSY_LOOP
      ? {
          by: usage.eventLoopUtilization,
          words: `kept its event loop busy for ${(usage.eventLoopUtilization * 100).toFixed(1)} % of the time.`,
        }
      : null,
  'all-sent': ({ record, usage, unsentThoughFree }) => {
    const unsent = record.ok + record.failed - record.sent;
    const count = isFull(usage) && hasUnsent(record.errors) ? unsent : unsentThoughFree;
    return count > 0 ? { by: count, words: `left ${count} due requests unsent.` } : null;
  },
};

const isFull = ({ eventLoopUtilization }: GeneratorReport['usage']): boolean =>
  eventLoopUtilization >= FULL_LOOP;

const busiestOf = ({ reports }: MeasuredGenerators): number =>
  Math.max(...reports.map(({ usage }) => usage.eventLoopUtilization));

const hasUnsent = (errors: Readonly<Record<string, number>>): boolean =>
  (errors['unsent'] ?? 0) > 0;

/** Finds what the generators, and not the target, did wrong in a run. */
export const findFaults: FindFaults = (measured) => {
  const faults: GeneratorFault[] = [];
  for (const [need, excessOf] of Object.entries(OF_EACH)) {
    const words = worstOf(measured, excessOf);
    const more = need === 'loop' ? { busy: busiestOf(measured) } : {};
    if (words !== null) faults.push({ need: need as Need, words, ...more });
  }
  const short = shortSpan(measured);
  if (short !== null) faults.push({ need: 'in-time', words: short });
  const lags = measured.seesSendLag
    ? measured.reports.map(({ record }) => p99Of(record.sendLag))
    : [];
  const lagUs = Math.max(0, ...lags);
  if (lagUs > 0) {
    const words = `${subjectOf(null, measured)} sent late: send lag p99 was ${(lagUs / 1000).toFixed(2)} ms.`;
    faults.push({ need: 'at-once', words, lagUs });
  }
  return faults;
};

/** The sentence on the generator that is farthest from a need; null if none is. */
function worstOf(
  measured: MeasuredGenerators,
  excessOf: (report: GeneratorReport) => Excess | null,
): string | null {
  const beyond = measured.reports.flatMap((report, generator) => {
    const excess = excessOf(report);
    return excess === null ? [] : { generator, ...excess };
  });
  const [worst] = beyond.toSorted((a, b) => b.by - a.by);
  if (worst === undefined) return null;
  const named = beyond.length === measured.reports.length ? null : worst.generator;
  return `${subjectOf(named, measured)} ${worst.words}`;
}

/** Name of a generator in a sentence; of all together for null. */
function subjectOf(generator: number | null, { reports, agents = [] }: MeasuredGenerators): string {
  if (generator === null) return 'The generator';
  const of = agents.find(
    ({ range: { from, count } }) => generator >= from && generator < from + count,
  );
  if (of === undefined) return `Generator ${generator + 1} of ${reports.length}`;
  const { name, range } = of;
  return range.count === 1
    ? `The generator of agent ${name}`
    : `Generator ${generator - range.from + 1} of ${range.count} of agent ${name}`;
}

/** Requests of a part of the window: those that were to be sent in it, and those that were. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly due: number;
  readonly sent: number;
}

/**
 * A sentence on the span that is farthest from its requests; null if each has them. A request that waits for a
 * connection is due once there is one, unless the generator may have had no time to look.
 */
function shortSpan({ plan, measuredMs, series, seesSendLag, reports }: MeasuredGenerators) {
  if (plan.model === 'closed' || !seesSendLag) return null;
  const all = { generator: 0, generators: 1 };
  const planned = plannedBySecond(plan, all, measuredMs);
  const isAnyFull = reports.some(({ usage }) => isFull(usage));
  const points = new Map(series.map((point) => [point.t, point]));
  const seconds = planned.map((count, t): Span => {
    const { sent = 0, ready = count }: Partial<SeriesPoint> = points.get(t) ?? {};
    return { from: t, to: t, due: isAnyFull ? count : ready, sent };
  });
  const spans = spansOf(seconds, planned);
  const off = ({ due, sent }: Span): number => Math.abs(due - sent) / Math.max(due, 1);
  const [worst] = spans.toSorted((a, b) => off(b) - off(a));
  if (worst === undefined || off(worst) <= MOST_OFF) return null;
  const when =
    worst.from === worst.to
      ? `In second ${worst.from + 1}`
      : `In seconds ${worst.from + 1} to ${worst.to + 1}`;
  return `${when} the generator sent ${worst.sent} requests, and ${worst.due} were to be sent.`;
}

/** Joins seconds until at least 100 requests were planned in each span; the rest belongs to the last one. */
function spansOf(seconds: readonly Span[], planned: readonly number[]): Span[] {
  const spans: Span[] = [];
  let isWhole = true;
  let count = 0;
  for (const [index, second] of seconds.entries()) {
    const last = isWhole ? undefined : spans.pop();
    count = (last === undefined ? 0 : count) + (planned[index] ?? 0);
    spans.push(last === undefined ? second : joined(last, second));
    isWhole = count >= SPAN_REQUESTS;
  }
  const [before, rest] = spans.slice(-2);
  if (!isWhole && before !== undefined && rest !== undefined) {
    spans.splice(-2, 2, joined(before, rest));
  }
  return spans;
}

const joined = (a: Span, b: Span): Span => ({
  from: a.from,
  to: b.to,
  due: a.due + b.due,
  sent: a.sent + b.sent,
});

function p99Of(data: GeneratorReport['record']['sendLag']): number {
  const histogram = new LatencyHistogram();
  histogram.merge(data);
  return histogram.percentileUs(99);
}

/** Remedies for faults of the generators; empty for none. */
export function adviceOn(
  faults: readonly GeneratorFault[],
  { plan, place, reports }: Pick<MeasuredGenerators, 'plan' | 'place' | 'reports'>,
): string[] {
  if (faults.length === 0) return [];
  if (faults.some(({ need }) => need === 'running'))
    return [adviceFor('running', place, plan.model)];
  const isBusy =
    faults.some(({ need }) => need === 'loop') || reports.some(({ usage }) => isFull(usage));
  const lacksCores = reports.some(({ usage }) => isStarved(usage));
  return [adviceFor(isBusy && !lacksCores ? 'threads' : 'cores', place, plan.model)];
}
