import type { GeneratorHealth, LoadDocument, ThresholdResult } from '../../documents/load.ts';
import { EXHAUSTION } from './generator-health.ts';
import { judgeLateRun } from './lateness.ts';

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
  return `TARGET_UNREACHABLE: none of ${planned} requests got a connection to ${baseUrl} (${kinds.sort().join(', ')}); check that it runs and that baseUrl is right.`;
}

/** Findings that a run is judged by. */
export interface RunEvidence {
  generator: GeneratorHealth;
  /** Sentences on agents that were lost, or whose updates were. */
  faults: readonly string[];
  thresholds: readonly Pick<
    ThresholdResult,
    'expression' | 'held' | 'isDefault' | 'judged' | 'shortByFailures'
  >[];
  /** As {@link whyNoUpperBounds}; only of a late generator. */
  noUpperBounds: string | null;
  /** Successful answers in the measured window. */
  ok: number;
  /** The condition that ended the run; null for none. */
  abortedOn: string | null;
  /** Reason why the target was unreachable; null if it was reached. */
  unreachable: string | null;
}

/** Verdict of a run, and why. */
export interface RunVerdict {
  readonly verdict: LoadDocument['verdict'];
  readonly reason: string;
  readonly invalidBy?: NonNullable<LoadDocument['invalidBy']>;
}

/**
 * Judges a run: a target that was never reached, a lost agent or a lack of resources makes it invalid whatever
 * else was measured, a late generator unless response times held in spite of it; a run without a single
 * success falls short, thresholds or not.
 */
export function judgeRun(evidence: RunEvidence): RunVerdict {
  const { generator, faults, thresholds, ok, abortedOn, unreachable } = evidence;
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
    const late = judgeLateRun(thresholds, evidence.noUpperBounds);
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

const expressionsOf = (thresholds: RunEvidence['thresholds']): string =>
  thresholds.map(({ expression }) => expression).join(', ');

function missedInWords(missed: RunEvidence['thresholds']): string {
  const byFailures = missed.filter(({ shortByFailures }) => shortByFailures);
  const why =
    byFailures.length === 0
      ? ''
      : ` Without the failed requests, which count as slower than any bound, held: ${expressionsOf(byFailures)}.`;
  return `Not held: ${expressionsOf(missed)}.${why}`;
}
