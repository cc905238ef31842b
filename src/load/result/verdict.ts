import type { LoadDocument, ThresholdResult } from '../../documents/load.ts';
import type { GeneratorFault } from '../measured-generators.ts';
import type { LoadModel } from '../plan.ts';
import {
  isMissed,
  isTrue,
  judgeThreshold,
  type Observation,
  type Threshold,
} from '../threshold.ts';
import { spoils, spoilsFigures } from './health.ts';

/** The condition that ended a run early. */
export interface EndedBy {
  readonly words: string;
  /** Left out for a backlog. */
  readonly condition?: Threshold;
}

/** Findings that a run is judged by, beside its thresholds. */
export interface RunEvidence {
  readonly model: LoadModel;
  readonly faults: readonly GeneratorFault[];
  /** Remedies for faults; empty for none. */
  readonly adviceOn: (faults: readonly GeneratorFault[]) => readonly string[];
  /** Sentences on agents that were lost, or whose updates were. */
  readonly losses: readonly string[];
  /** Sentences on what this machine had too little of. */
  readonly exhausted: readonly string[];
  /** Measurements without what stalls of the generators delayed; null for a run without stalls. */
  readonly withoutStalls: Observation | null;
  /** Requests that were planned in the measured window. */
  readonly planned: number;
  /** Successful answers in the measured window. */
  readonly ok: number;
  /** Null for none. */
  readonly abortedOn: EndedBy | null;
  /** Reason why the target was unreachable; null if it was reached. */
  readonly unreachable: string | null;
  readonly interrupted: boolean;
}

type Verdict = Pick<LoadDocument, 'verdict' | 'reason' | 'invalidBy' | 'thresholds'>;

/** Observed value as a multiple of the bound; infinite where only failed requests missed it. */
const missedBy = ({ observed, bound, shortByFailures }: ThresholdResult): number =>
  observed === null || shortByFailures ? Number.POSITIVE_INFINITY : observed / bound;

/** Verdict of a run, and what it says of the generators. */
export interface RunVerdict extends Verdict {
  /** Reason why the generators could not be relied on; empty if they could. */
  readonly reasons: readonly string[];
}

/**
 * Judges each threshold of a run, and the run by them. A target that was never reached, a lost agent or a lack of
 * resources makes it invalid whatever else was measured. A threshold proves nothing where the generators did not do
 * what it needs, and a missed one nothing where only requests around a stall miss it. A run without a single success
 * falls short, thresholds or not, unless nothing was sent. An interrupted one can only fall short.
 */
export function judgeLoad(
  thresholds: readonly Threshold[],
  observation: Observation,
  evidence: RunEvidence,
): RunVerdict {
  const { model, losses, exhausted, withoutStalls, planned, ok, abortedOn } = evidence;
  const { unreachable, interrupted } = evidence;
  const spoiling = new Set(evidence.faults.filter((fault) => spoilsFigures(fault, model)));
  const spoilersOf = (
    threshold: Threshold | null,
    result?: ThresholdResult,
  ): readonly GeneratorFault[] => {
    const faults = evidence.faults.filter((fault) =>
      spoils(fault, model, threshold, result?.held ?? true, result && missedBy(result)),
    );
    for (const fault of faults) spoiling.add(fault);
    return faults;
  };
  const isOfStalls = (threshold: Threshold): boolean =>
    withoutStalls !== null && !isMissed(threshold, withoutStalls);
  const isUnanswered = interrupted && ok === 0;
  const ofRun = spoilersOf(null);
  // A condition that came true is an upper bound that was missed.
  const condition = abortedOn?.condition;
  const ofCondition = condition
    ? spoilersOf(
        { ...condition, comparison: '<' },
        { ...judgeThreshold(condition, observation), held: false },
      )
    : [];
  const results = thresholds.map((threshold): ThresholdResult => {
    const result = judgeThreshold(threshold, observation);
    const isProof =
      spoilersOf(threshold, result).length === 0 &&
      !isUnanswered &&
      (result.held ? !interrupted : !isOfStalls(threshold));
    return isProof ? result : { ...result, judged: false };
  });
  const faults = [...spoiling];
  const reasons = [...faults.map(({ words }) => words), ...evidence.adviceOn(faults), ...exhausted];
  const as = (verdict: Verdict['verdict'], reason: string, invalidBy?: Verdict['invalidBy']) => ({
    thresholds: results,
    reasons,
    verdict,
    reason,
    ...(invalidBy && { invalidBy }),
  });
  if (unreachable !== null) return as('invalid', unreachable, 'unreachable');
  if (losses.length > 0) return as('invalid', [...losses, ...reasons].join(' '), 'loss');
  if (exhausted.length > 0) return as('invalid', reasons.join(' '), 'resources');
  if (ofRun.length > 0) {
    const isStill = ofRun.some(({ need }) => need === 'running');
    return as('invalid', reasons.join(' '), isStill ? 'standstill' : 'lateness');
  }
  if (abortedOn !== null) {
    if (ofCondition.length > 0) return as('invalid', reasons.join(' '), 'lateness');
    const { words } = abortedOn;
    const isOfTarget =
      condition === undefined || withoutStalls === null || isTrue(condition, withoutStalls);
    return isOfTarget
      ? as('fell-short', endedEarly(abortedOn))
      : as('invalid', stalledInWords([words]), 'lateness');
  }
  const missed = results.filter(({ held, judged }) => !held && judged !== false);
  if (interrupted && missed.length === 0) return as('invalid', CUT_SHORT, 'interruption');
  if (planned === 0) return as('invalid', NOTHING_SENT, 'lateness');
  if (ok === 0) return as('fell-short', 'No request succeeded.');
  if (missed.length > 0) return as('fell-short', missedInWords(missed));
  const open = results.filter(({ judged }) => judged === false);
  if (open.length === 0) return as('held', `All thresholds held: ${expressionsOf(results)}.`);
  const stalled = open.filter(({ held }) => !held);
  const why = [
    ...reasons,
    ...(faults.length > 0 ? [`It proves nothing about ${expressionsOf(open)}.`] : []),
    ...(faults.length === 0 ? [stalledInWords(stalled.map(({ expression }) => expression))] : []),
  ];
  return as('invalid', why.join(' '), 'lateness');
}

const NOTHING_SENT =
  'No request was sent in the measured window: it was too short, or the generator had no core.';

const CUT_SHORT = 'The run was interrupted; until then it missed no threshold.';

/** Sentence on a condition that ended a run. */
export const endedEarly = ({ words }: EndedBy): string =>
  `The run was ended early, since ${words} came true.`;

const stalledInWords = (expressions: readonly string[]): string =>
  `Only requests that a stall of the generator delayed, or that were sent in a burst after it, miss ${expressions.join(', ')}.`;

const expressionsOf = (thresholds: readonly Pick<ThresholdResult, 'expression'>[]): string =>
  thresholds.map(({ expression }) => expression).join(', ');

function missedInWords(missed: readonly ThresholdResult[]): string {
  const byFailures = missed.filter(({ shortByFailures }) => shortByFailures);
  const why =
    byFailures.length === 0
      ? ''
      : ` Without the failed requests, which count as slower than any bound, held: ${expressionsOf(byFailures)}.`;
  return `Not held: ${expressionsOf(missed)}.${why}`;
}
