import type { GeneratorHealth, LoadDocument, ThresholdResult } from '../../documents/load.ts';
import { explainFailure, remedyOfFailure } from '../../interface/index.ts';
import { type LoadPlan, plannedBySecond } from '../plan.ts';
import type { JudgedLoad } from '../plan-load.ts';
import { isBoundOnResponse, judgeThreshold, type Observation } from '../threshold.ts';
import { EXHAUSTION } from './generator-health.ts';

/** Counts of a run that show whether the target was there. */
export interface Reached {
  baseUrl: string;
  planned: number;
  /** Requests that were written to a connection. */
  sent: number;
  /** Failures by kind. */
  errors: Readonly<Record<string, number>>;
}

/** Reason why the target cannot be judged if no request of a run could connect; else null. */
export function unreachableReason(reached: Reached): string | null {
  const { baseUrl, planned, sent, errors } = reached;
  const kinds = Object.keys(errors).filter((kind) => kind !== 'unsent');
  const isOfTarget = kinds.length > 0 && kinds.every((kind) => !EXHAUSTION.has(kind));
  if (sent > 0 || !isOfTarget) return null;
  const [code = ''] = kinds.sort();
  const failure = explainFailure(Object.assign(new Error(code), { code }));
  const remedy = remedyOfFailure(failure, { baseUrl, hasCertificate: false });
  return `TARGET_UNREACHABLE: none of ${planned} requests got a connection to ${baseUrl} (${kinds.join(', ')}). ${remedy}`;
}

/** Findings that a run is judged by, beside its thresholds. */
export interface RunEvidence {
  generator: GeneratorHealth;
  /** Sentences on agents that were lost, or whose updates were. */
  faults: readonly string[];
  /** As {@link whyNoUpperBounds}; only of a late generator. */
  noUpperBounds: string | null;
  /** Successful answers in the measured window. */
  ok: number;
  /** The condition that ended the run; null for none. */
  abortedOn: string | null;
  /** Reason why the target was unreachable; null if it was reached. */
  unreachable: string | null;
}

/** Outcome of a threshold, as far as it decides a verdict. */
type Outcome = Pick<
  ThresholdResult,
  'expression' | 'held' | 'isDefault' | 'judged' | 'shortByFailures'
>;

/** Verdict of a run, and why. */
export interface RunVerdict {
  readonly verdict: LoadDocument['verdict'];
  readonly reason: string;
  readonly invalidBy?: NonNullable<LoadDocument['invalidBy']>;
}

/**
 * Judges each threshold of a run, and the run by them. Of a late generator most outcomes prove nothing: a delayed
 * burst may meet an easier target, so only an upper bound on response time that held stands.
 */
export function judgeLoad(
  load: Pick<JudgedLoad, 'thresholds'>,
  observation: Observation,
  evidence: RunEvidence,
): RunVerdict & Pick<LoadDocument, 'thresholds'> {
  const { generator, noUpperBounds } = evidence;
  const thresholds = load.thresholds.map((threshold): ThresholdResult => {
    const result = judgeThreshold(threshold, observation);
    const isProof = noUpperBounds === null && isBoundOnResponse(threshold) && result.held;
    return generator.late && !isProof ? { ...result, judged: false } : result;
  });
  return { thresholds, ...judgeRun(thresholds, evidence) };
}

/**
 * Judges a run by the outcomes of its thresholds. A target that was never reached, a lost agent or a lack of
 * resources makes it invalid whatever else was measured, and so does a late generator, unless response times held
 * in spite of it. A run without a single success falls short, thresholds or not.
 */
export function judgeRun(
  thresholds: readonly Outcome[],
  { generator, faults, noUpperBounds, ok, abortedOn, unreachable }: RunEvidence,
): RunVerdict {
  const as = (verdict: 'held' | 'fell-short', reason: string): RunVerdict => ({ verdict, reason });
  const invalid = (
    invalidBy: NonNullable<RunVerdict['invalidBy']>,
    ...reasons: readonly string[]
  ): RunVerdict => ({ verdict: 'invalid', reason: reasons.join(' '), invalidBy });
  const isSaturated = generator.saturated;
  const reasons = [...faults, ...(isSaturated ? generator.reasons : [])];
  if (unreachable !== null) return invalid('unreachable', unreachable);
  if (faults.length > 0) return invalid('loss', ...reasons);
  if (isSaturated && !generator.late) return invalid('resources', ...reasons);
  if (isSaturated) {
    const late = judgeLateRun(thresholds, noUpperBounds);
    if (late.isHeld && ok > 0 && abortedOn === null) return as('held', late.words);
    return invalid('lateness', ...reasons, late.words);
  }
  if (abortedOn !== null) {
    return as('fell-short', `The run was ended early, since ${abortedOn} came true.`);
  }
  if (ok === 0) return as('fell-short', 'No request succeeded.');
  const missed = thresholds.filter(({ held }) => !held);
  if (missed.length > 0) return as('fell-short', missedInWords(missed));
  return as('held', `All thresholds held: ${expressionsOf(thresholds)}.`);
}

const expressionsOf = (thresholds: readonly Outcome[]): string =>
  thresholds.map(({ expression }) => expression).join(', ');

function missedInWords(missed: readonly Outcome[]): string {
  const byFailures = missed.filter(({ shortByFailures }) => shortByFailures);
  const why =
    byFailures.length === 0
      ? ''
      : ` Without the failed requests, which count as slower than any bound, held: ${expressionsOf(byFailures)}.`;
  return `Not held: ${expressionsOf(missed)}.${why}`;
}

/** Verdict on a run with a late generator: what held in spite of it, or why it has none. */
function judgeLateRun(
  thresholds: readonly Outcome[],
  noUpperBounds: string | null,
): { isHeld: boolean; words: string } {
  const held = thresholds.filter(({ judged }) => judged !== false);
  const others = thresholds.filter(({ judged }) => judged === false);
  const asked = others.filter(({ isDefault, held: isHeld }) => !isDefault || !isHeld);
  if (noUpperBounds !== null) return { isHeld: false, words: noUpperBounds };
  if (asked.length > 0) {
    return { isHeld: false, words: `It proves nothing about ${expressionsOf(asked)}.` };
  }
  if (held.length === 0) {
    const words =
      'Only an upper bound on response time can be judged in spite of it: give one, such as p99<1s.';
    return { isHeld: false, words };
  }
  const notJudged = others.length === 0 ? '' : ` Not judged: ${expressionsOf(others)}.`;
  return {
    isHeld: true,
    words: `All thresholds on response time held: ${expressionsOf(held)}.${notJudged}`,
  };
}

/** Note on a run that held in spite of a late generator. */
export const LATE_NOTE = 'The generator was late: response times are upper bounds.';

/** Largest share of the requests of a second that may be sent after it. */
const MOST_SHORT = 0.05;

/** Requests of a run: those that were planned, and when they were sent. */
export interface SentRequests {
  readonly plan: LoadPlan;
  /** The measured window, shorter than planned where the run was ended early. */
  readonly measuredMs: number;
  readonly achieved: Pick<LoadDocument['achieved'], 'planned' | 'sent'>;
  readonly series: readonly Pick<LoadDocument['series'][number], 't' | 'sent'>[];
}

/**
 * Reason why the response times of a late generator are no upper bounds; null if they are: everything
 * planned was sent, and no second fell short of its plan by more than 5 %. Otherwise the target may have met
 * an easier load than the planned one.
 */
export function whyNoUpperBounds(requests: SentRequests): string | null {
  const { plan, measuredMs, achieved, series } = requests;
  if (plan.model === 'closed') {
    return 'In the closed model a late generator sends less, and the target has it easier.';
  }
  const unsent = achieved.planned - achieved.sent;
  if (unsent > 0) return `Of ${achieved.planned} planned requests, ${unsent} were not sent.`;
  const planned = plannedBySecond(plan, { generator: 0, generators: 1 }, measuredMs);
  const seconds = planned.map((count, t) => {
    const sent = series.find((point) => point.t === t)?.sent ?? 0;
    return { t, count, sent, short: (count - sent) / Math.max(count, 1) };
  });
  const [worst] = seconds.toSorted((a, b) => b.short - a.short);
  if (worst === undefined || worst.short <= MOST_SHORT) return null;
  return `In second ${worst.t + 1} it sent ${worst.sent} of ${worst.count} planned requests.`;
}
