import { ALLOWANCE_OF_GRANT, type GrantType } from '../../../interface/limits.ts';
import { inconclusive, type Judgement, untestable } from '../../verdict.ts';
import type { Unplanned } from '../budget/planner.ts';
import type { BaseRequest } from '../contract/check.ts';
import type { Observation, Seen } from '../contract/observation.ts';
import { unmetPrerequisite } from './prerequisites.ts';
import type { TargetRun } from './target-run.ts';

/** Rule judged by an observation. */
export interface ObservedRule {
  readonly rule: string;
  readonly judgement: Judgement;
}

/** Judges the rules that send nothing over what all checks saw. */
export function judgeObservations(
  run: TargetRun,
  seen: Seen,
  unplanned: readonly Unplanned[],
): ObservedRule[] {
  const isInterrupted = run.signal?.aborted ?? false;
  return run.observations.map((observation) => {
    const { rule, needs, from } = observation;
    const judgement = unmetPrerequisite({ needs }, run) ?? judgeSafely(observation, seen);
    // Untestable where no allowance was left for the requests that show it.
    const isShown = isInterrupted || from.some((baseRequest) => wasSent(baseRequest, seen));
    const short = unplanned.find(
      ({ check }) => from.includes(check.baseRequest) && (check.rules.length === 0 || !isShown),
    );
    return judgement.verdict === 'inconclusive' && short
      ? { rule, judgement: untestable(short.reason, short.remedy) }
      : { rule, judgement: isInterrupted ? ofPart(observation, judgement) : judgement };
  });
}

/** Judges one observation over all that a run saw. */
export function judgeObservation(
  observation: Observation,
  seen: Seen,
  isInterrupted: boolean,
): Judgement {
  const judgement = judgeSafely(observation, seen);
  return isInterrupted ? ofPart(observation, judgement) : judgement;
}

/** Answers may hold anything: a judge that fails is inconclusive, and does not end the run. */
function judgeSafely({ rule, judge }: Observation, seen: Seen): Judgement {
  try {
    return judge(seen);
  } catch (error) {
    return inconclusive(`${rule} could not be judged: ${(error as Error).message}`);
  }
}

/** A part of a run proves no violation that only the whole run shows. */
function ofPart({ overall }: Observation, judgement: Judgement): Judgement {
  return overall && judgement.verdict === 'violated'
    ? inconclusive('the run was interrupted before this could be determined')
    : judgement;
}

/** Checks whether a well-formed token request of that kind was sent. */
function wasSent(baseRequest: BaseRequest, { requests }: Seen): boolean {
  return requests.some(
    ({ fields }) => ALLOWANCE_OF_GRANT[fields['grant_type'] as GrantType] === baseRequest,
  );
}
