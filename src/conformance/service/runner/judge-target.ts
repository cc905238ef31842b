import { ALLOWANCE_OF_GRANT, type GrantType } from '../../../interface/limits.ts';
import { inconclusive, type Judgement } from '../../verdict.ts';
import type { LeftOut } from '../budget/left-out.ts';
import type { Unplanned } from '../budget/planner.ts';
import { type BaseRequest, isFurther } from '../contract/check.ts';
import type { Observation, Seen } from '../contract/observation.ts';
import { SeenTraffic } from '../contract/seen-traffic.ts';
import { doubtsOf } from '../judge/alibis.ts';
import { type Marked, unlessStepped } from '../judge/clock-step.ts';
import { type ObservedRule, RuleParts, type TargetLog } from '../judge/judge.ts';
import { type JudgedRule, judgeAlike } from '../judge/judged-rule.ts';
import { shownOfAll } from '../judge/of-all.ts';
import { surveysFor } from '../rules/surveys.ts';
import { freshRunner } from './fresh.ts';
import { meteredRunner } from './metered.ts';
import { unmetPrerequisite } from './prerequisites.ts';
import { excludeControlApi } from './profile-witness.ts';
import type { CheckRunner, TargetRun } from './target-run.ts';

/** Findings about one target, and those of its probes. */
export interface TargetOutcome {
  readonly log: TargetLog;
  /** Outcome of the probes, which judge no rule. */
  readonly probed: readonly JudgedRule[];
  readonly leftOut: readonly LeftOut[];
}

/** Runs all checks that a target can be judged by, then judges what they saw, then probes gaps. */
export async function judgeTarget(run: TargetRun): Promise<TargetOutcome> {
  const traffic = new SeenTraffic();
  const { tokenSeen, estimateSeen } = traffic;
  const hooks = { ...run.hooks, tokenSeen, estimateSeen };
  await run.client.clock.refresh();
  const { client, checks } = run;
  const spare = run.budgets
    ? run.spare.filter((check) => unmetPrerequisite(check, run) === null)
    : [];
  const parts = new RuleParts({ checks: [...checks, ...spare], doubts: doubtsOf(client) });
  const keep = (some: readonly JudgedRule[]): void => {
    const whole = parts.add(some);
    run.onJudged(whole);
    for (const { rule, judgement } of whole) run.found.set(rule, judgement);
  };
  const runnable = run.checks.filter((check) => {
    const unmet = unmetPrerequisite(check, run);
    if (unmet) keep(judgeAlike(check, unmet));
    return unmet === null;
  });
  const runner: CheckRunner = run.budgets
    ? meteredRunner({ ...run, spare, hooks }, run.budgets, keep)
    : freshRunner({ ...run, hooks }, keep);
  const unplanned = await runner.run([
    ...runnable,
    ...surveysFor(run.observations, run.client.facts, runnable),
  ]);
  const seen = traffic.seen(client.facts);
  await excludeControlApi(run, seen.requests);
  keep(unplanned.flatMap(untestableFor));
  const ofAll = shownOfAll(parts.log.found, client.evidence.raw, client.target.baseUrl);
  const log = { ...parts.log, ofAll, observed: judgeObservations(run, seen, unplanned) };
  // Nothing that is sent from here on can change a verdict.
  const probed = await runProbes(run, runner);
  return { log, probed, leftOut: runner.leftOut() };
}

/** Probes that fail leave their gaps unobserved, and do not end the run. */
async function runProbes(run: TargetRun, runner: CheckRunner): Promise<readonly JudgedRule[]> {
  const probed: JudgedRule[] = [];
  const runnable = run.probes.filter((check) => {
    const unmet = unmetPrerequisite(check, run);
    if (unmet) probed.push(...judgeAlike(check, unmet));
    return unmet === null;
  });
  if (run.signal?.aborted) return probed;
  try {
    const unplanned = await runner.probe(runnable, (some) => probed.push(...some));
    return [...probed, ...unplanned.flatMap(untestableFor)];
  } catch (error) {
    const judgement = inconclusive(`the target failed: ${(error as Error).message}`);
    return [...probed, ...runnable.flatMap((check) => judgeAlike(check, judgement))];
  }
}

function untestableFor({ check, judgement }: Unplanned): JudgedRule[] {
  return judgeAlike(check, judgement);
}

/** Judges the rules that send nothing over what all checks saw. */
function judgeObservations(
  run: TargetRun,
  seen: Seen,
  unplanned: readonly Unplanned[],
): ObservedRule[] {
  const isInterrupted = run.signal?.aborted ?? false;
  return run.observations.map((observation) => {
    const { rule, needs, from } = observation;
    const judgement =
      unmetPrerequisite({ needs }, run) ??
      unlessStepped(judgeSafely(observation, seen), run.client.evidence.raw);
    // Untestable where no allowance was left for the requests that show it.
    const isShown = isInterrupted || from.some((baseRequest) => wasSent(baseRequest, seen));
    const short = unplanned.find(
      ({ check }) =>
        !isFurther(check) &&
        from.includes(check.places[0].baseRequest) &&
        (check.rules.length === 0 || !isShown),
    );
    return judgement.verdict === 'inconclusive' && short
      ? { rule, judgement: short.judgement }
      : { rule, judgement: isInterrupted ? ofPart(observation, judgement) : judgement };
  });
}

/** Judges one observation over all that a run saw. */
export function judgeObservation(
  observation: Observation,
  seen: Seen,
  exchanges: Marked,
  isInterrupted: boolean,
): Judgement {
  const judgement = unlessStepped(judgeSafely(observation, seen), exchanges);
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
