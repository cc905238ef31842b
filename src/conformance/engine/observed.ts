import type { Observation, Seen } from '../service/check.ts';
import { inconclusive, type Judgement, untestable } from '../verdict.ts';
import type { Unplanned } from './planner.ts';
import { lackingOf, type SiteOutcome, type SiteRun } from './site-run.ts';

/** Judges the rules that send nothing over what all checks saw. */
export function judgeObservations(
  run: SiteRun,
  seen: Seen,
  unplanned: readonly Unplanned[],
): SiteOutcome['observed'] {
  return run.observations.map(({ rule, judge, needs, from, overall }) => {
    const lack = lackingOf({ needs }, run);
    const judgement = lack ?? judgeSafely(rule, judge, seen);
    if (overall && run.signal?.aborted && judgement.verdict === 'violated') {
      return { rule, judgement: inconclusive('the run was interrupted before it could be told') };
    }
    // What no allowance was left to look at was not looked at.
    const short = unplanned.find(
      ({ check }) => check.rules.length === 0 && from.includes(check.carrier),
    );
    if (judgement.verdict !== 'inconclusive' || !short) return { rule, judgement };
    return { rule, judgement: untestable(short.reason, short.remedy) };
  });
}

/** Answers hold anything; a judge that stumbles over one must not end the run. */
function judgeSafely(rule: string, judge: Observation['judge'], seen: Seen): Judgement {
  try {
    return judge(seen);
  } catch (error) {
    return inconclusive(`${rule} could not be judged: ${(error as Error).message}`);
  }
}
