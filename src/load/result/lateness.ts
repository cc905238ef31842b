import type { LoadDocument, ThresholdResult } from '../../documents/load.ts';
import type { LoadPlan } from '../plan.ts';
import { plannedBySecond } from '../plan.ts';
import { isBoundOnResponse, type Threshold } from '../threshold.ts';

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

/**
 * Marks the outcomes that prove nothing, since the generator was late: a delayed burst may meet an easier
 * target, so only an upper bound on response time that held stands.
 *
 * @param thresholds in the order of the results
 */
export function markUnjudged(
  thresholds: readonly Threshold[],
  results: readonly ThresholdResult[],
  noUpperBounds: string | null,
): ThresholdResult[] {
  return results.map((result, index) => {
    const isUpper = isBoundOnResponse(thresholds[index] as Threshold);
    const isProof = noUpperBounds === null && isUpper && result.held;
    return isProof ? result : { ...result, judged: false as const };
  });
}

/** A threshold of a run with a late generator. */
type LateThreshold = Pick<ThresholdResult, 'expression' | 'held' | 'isDefault' | 'judged'>;

/** Verdict on a run with a late generator: what held in spite of it, or why it has none. */
export function judgeLateRun(
  thresholds: readonly LateThreshold[],
  noUpperBounds: string | null,
): { isHeld: boolean; words: string } {
  const named = (some: readonly LateThreshold[]): string =>
    some.map(({ expression }) => expression).join(', ');
  const held = thresholds.filter(({ judged }) => judged !== false);
  const others = thresholds.filter(({ judged }) => judged === false);
  const asked = others.filter(({ isDefault, held: isHeld }) => !isDefault || !isHeld);
  if (noUpperBounds !== null) return { isHeld: false, words: noUpperBounds };
  if (asked.length > 0) {
    return { isHeld: false, words: `It proves nothing about ${named(asked)}.` };
  }
  if (held.length === 0) {
    const words =
      'Only an upper bound on response time can be judged in spite of it: give one, such as p99<1s.';
    return { isHeld: false, words };
  }
  const notJudged = others.length === 0 ? '' : ` Not judged: ${named(others)}.`;
  return {
    isHeld: true,
    words: `All thresholds on response time held: ${named(held)}.${notJudged}`,
  };
}

/** Note on a run that held in spite of a late generator. */
export const LATE_NOTE = 'The generator was late: response times are upper bounds.';
