import { inconclusive, untestable } from '../../verdict.ts';
import type { Unplanned } from '../budget/planner.ts';
import type { Check } from '../contract/check.ts';
import type { Seen, SeenEstimate, SeenToken } from '../contract/observation.ts';
import { shapeSurvey } from '../rules/estimate/checks.ts';
import { FreshRunner } from './fresh.ts';
import { type JudgedRule, judgeAlike, RuleParts } from './judged-rule.ts';
import { MeteredRunner } from './metered.ts';
import { judgeObservations, type ObservedRule } from './observations.ts';
import { unmetPrerequisite } from './prerequisites.ts';
import type { CheckRunner, TargetRun } from './target-run.ts';

/** Rules judged at one target, and what its probes found. */
export interface TargetOutcome {
  readonly judged: readonly JudgedRule[];
  readonly observed: readonly ObservedRule[];
  /** Outcome of the probes, which judge no rule. */
  readonly probed: readonly JudgedRule[];
}

/** Runs all checks that a target can be judged by, then judges what they saw, then probes gaps. */
export async function judgeTarget(run: TargetRun): Promise<TargetOutcome> {
  const requests: SeenToken[] = [];
  const estimates: SeenEstimate[] = [];
  const hooks = {
    ...run.hooks,
    tokenSeen: (seen: SeenToken) => requests.push(seen),
    estimateSeen: (seen: SeenEstimate) => estimates.push(seen),
  };
  await run.client.clock.refresh();
  const judged: JudgedRule[] = [];
  const parts = new RuleParts(run.checks);
  const keep = (some: readonly JudgedRule[]): void => {
    const whole = parts.add(some);
    run.onJudged(whole);
    for (const { rule, judgement } of whole) run.found.set(rule, judgement);
    judged.push(...whole);
  };
  const runnable = run.checks.filter((check) => {
    const unmet = unmetPrerequisite(check, run);
    if (unmet) keep(judgeAlike(check, unmet));
    return unmet === null;
  });
  const runner: CheckRunner = run.budgets
    ? new MeteredRunner({ ...run, hooks }, run.budgets, keep)
    : new FreshRunner({ ...run, hooks }, keep);
  const unplanned = await runner.run([...runnable, ...surveysFor(run, runnable)]);
  keep(unplanned.flatMap(untestableFor));
  judged.push(...parts.broken());
  const tokens = requests.filter(({ answer }) => answer.outcome === 'accepted');
  const seen: Seen = { requests, tokens, estimates };
  const observed = judgeObservations(run, seen, unplanned);
  // Nothing that is sent from here on can change a verdict.
  return { judged, observed, probed: await runProbes(run, runner) };
}

/** Checks that can be run, with their surveys and the probes: everything that a plan is made for. */
export function checksToPlan(run: TargetRun): Check[] {
  const canRun = (check: Check): boolean => unmetPrerequisite(check, run) === null;
  const runnable = run.checks.filter(canRun);
  return [...runnable, ...surveysFor(run, runnable), ...run.probes.filter(canRun)];
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

function untestableFor({ check, reason, remedy }: Unplanned): JudgedRule[] {
  return judgeAlike(check, untestable(reason, remedy));
}

/** Checks of one base request each, for those that observations need and no other check sends. */
function surveysFor({ observations }: TargetRun, runnable: readonly Check[]): Check[] {
  const wanted = new Set(observations.flatMap(({ from }) => from));
  const sent = new Set(runnable.map(({ baseRequest }) => baseRequest));
  const surveys = (['platform', 'refresh', 'user'] as const)
    .filter((baseRequest) => wanted.has(baseRequest) && !sent.has(baseRequest))
    .map((baseRequest) => ({
      id: `survey:${baseRequest}`,
      rules: [],
      baseRequest,
      priority: 0,
      spends: () => ({}),
      run: async () => ({}),
    }));
  return wanted.has('estimate') ? [shapeSurvey, ...surveys] : surveys;
}
