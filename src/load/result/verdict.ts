import type * as documents from '../../documents/load.ts';
import { EXHAUSTION, type GeneratorHealth } from './generator-health.ts';

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
  thresholds: readonly Pick<documents.ThresholdResult, 'expression' | 'held' | 'shortByFailures'>[];
  /** Successful answers in the measured window. */
  ok: number;
  /** The expression of --abort-on that ended the run; null for none. */
  abortedOn: string | null;
  /** Reason why the target was unreachable; null if it was reached. */
  unreachable: string | null;
}

/** Verdict of a run, and why. */
export interface RunVerdict {
  readonly verdict: documents.LoadDocument['verdict'];
  readonly reason: string;
}

/**
 * Judges a run: a target that was never reached, a saturated generator or a lost agent makes it invalid whatever
 * else was measured; a run without a single success falls short, thresholds or not.
 */
export function judgeRun(evidence: RunEvidence): RunVerdict {
  const { generator, faults, thresholds, ok, abortedOn, unreachable } = evidence;
  const as = (verdict: RunVerdict['verdict'], reason: string): RunVerdict => ({ verdict, reason });
  if (unreachable !== null) return as('invalid', unreachable);
  const invalid = [...faults, ...(generator.saturated ? generator.reasons : [])];
  if (invalid.length > 0) return as('invalid', invalid.join(' '));
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
