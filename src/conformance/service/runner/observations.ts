import { ALLOWANCE_OF_GRANT, type GrantType } from '../../../interface/limits.ts';
import { inconclusive, type Judgement, untestable } from '../../verdict.ts';
import type { Unplanned } from '../budget/planner.ts';
import type { BaseRequest } from '../contract/base-request.ts';
import type { Observation, Seen } from '../contract/observation.ts';
import { type TargetOutcome, type TargetRun, unmetPrerequisite } from './target-run.ts';

/** Judges the rules that send nothing over what all checks saw. */
export function judgeObservations(
  run: TargetRun,
  seen: Seen,
  unplanned: readonly Unplanned[],
): TargetOutcome['observed'] {
  return run.observations.map(({ rule, judge, needs, from, overall }) => {
    const lack = unmetPrerequisite({ needs }, run);
    const judgement = lack ?? judgeSafely(rule, judge, seen);
    if (overall && run.signal?.aborted && judgement.verdict === 'violated') {
      return { rule, judgement: inconclusive('the run was interrupted before it could be told') };
    }
    // What no allowance was left to look at was not looked at.
    const wasSent = from.some((baseRequest) => wasAsked(baseRequest, seen));
    const short = unplanned.find(
      ({ check }) =>
        from.includes(check.baseRequest) &&
        (check.rules.length === 0 || !(wasSent || run.signal?.aborted)),
    );
    if (judgement.verdict !== 'inconclusive' || !short) return { rule, judgement };
    return { rule, judgement: untestable(short.reason, short.remedy) };
  });
}

/** Whether a well-formed token request of a base request went out; estimates cost nothing. */
function wasAsked(baseRequest: BaseRequest, { requests }: Seen): boolean {
  return requests.some(
    ({ fields }) => ALLOWANCE_OF_GRANT[fields['grant_type'] as GrantType] === baseRequest,
  );
}

/** Answers hold anything; a judge that stumbles over one must not end the run. */
function judgeSafely(rule: string, judge: Observation['judge'], seen: Seen): Judgement {
  try {
    return judge(seen);
  } catch (error) {
    return inconclusive(`${rule} could not be judged: ${(error as Error).message}`);
  }
}
