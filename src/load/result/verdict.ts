import type { ThresholdResult } from '../threshold.ts';
import type { GeneratorHealth, LoadResult } from './load-result.ts';

/** Findings that a run is judged by. */
export interface RunEvidence {
  generator: GeneratorHealth;
  thresholds: readonly Pick<ThresholdResult, 'expression' | 'held'>[];
  /** Successful answers in the measured window. */
  ok: number;
  /** The expression of --abort-on that ended the run; null for none. */
  abortedOn: string | null;
  /** Reason why the target was unreachable; null if it was reached. */
  unreachable: string | null;
}

/**
 * The verdict of a run and why: a target that was never reached, or a saturated generator, makes it
 * invalid whatever else was measured; a run without a single success falls short, thresholds or not.
 */
export function judgeRun(evidence: RunEvidence): Pick<LoadResult, 'verdict' | 'reason'> {
  const { generator, thresholds, ok, abortedOn, unreachable } = evidence;
  if (unreachable !== null) return { verdict: 'invalid', reason: unreachable };
  if (generator.saturated) {
    return { verdict: 'invalid', reason: generator.reasons.join(' ') };
  }
  if (abortedOn !== null) {
    return {
      verdict: 'fell-short',
      reason: `The run was ended early, since ${abortedOn} came true.`,
    };
  }
  if (ok === 0) return { verdict: 'fell-short', reason: 'No request succeeded.' };
  const missed = thresholds.filter(({ held }) => !held).map(({ expression }) => expression);
  if (missed.length > 0) {
    return { verdict: 'fell-short', reason: `Not held: ${missed.join(', ')}.` };
  }
  return {
    verdict: 'held',
    reason:
      thresholds.length > 0
        ? `All thresholds held: ${thresholds.map(({ expression }) => expression).join(', ')}.`
        : 'There was no threshold to hold.',
  };
}
