import { inconclusive, type Judgement, untestable } from '../../verdict.ts';
import { planSpending, type SpendPlan, type Unplanned } from '../budget/planner.ts';
import type { Check } from '../contract/check.ts';
import type { Seen, SeenEstimate, SeenToken } from '../contract/observation.ts';
import { shapeSurvey } from '../rules/estimate/checks.ts';
import type { SessionWatch } from '../target/session.ts';
import type { JudgedRule } from './batch.ts';
import { runFresh } from './fresh.ts';
import { runMetered } from './metered.ts';
import { judgeObservations } from './observations.ts';
import {
  type Judging,
  type Ran,
  type TargetOutcome,
  type TargetRun,
  unmetPrerequisite,
} from './target-run.ts';

/** Runs the checks that a site can be judged by, then judges what was seen. */
export async function judgeTarget(run: TargetRun): Promise<TargetOutcome> {
  const requests: SeenToken[] = [];
  const estimates: SeenEstimate[] = [];
  const watch: SessionWatch = {
    ...run.watch,
    tokenSeen: (seen) => requests.push(seen),
    estimateSeen: (seen) => estimates.push(seen),
  };
  await run.client.clock.refresh();
  const judged: JudgedRule[] = [];
  const keep = (some: readonly JudgedRule[]): void => {
    for (const one of some) {
      run.onJudged(one);
      run.found.set(one.rule, one.judgement);
    }
    judged.push(...some);
  };
  const runnable = checksHere(run).filter((check) => {
    const judgement = unmetPrerequisite(check, run);
    if (judgement) keep(sameFor(check, judgement));
    return judgement === null;
  });
  const checks = [...runnable, ...surveysFor(run, runnable)];
  const { unplanned, probe } = run.budgets
    ? await runMetered(run, run.budgets, checks, watch, keep)
    : await runFresh(run, checks, watch, keep);
  keep(unplanned.flatMap(untestableFor));
  const accepted = requests.filter(({ answer }) => answer.outcome === 'accepted');
  const seen: Seen = { requests, tokens: accepted, estimates };
  const observed = judgeObservations(run, seen, unplanned);
  // From here on nothing that is sent can change a verdict.
  return { judged, observed, seen, probed: await runProbes(run, probe) };
}

/** A probe that breaks ends no run: what it was to show stays unseen. */
async function runProbes(run: TargetRun, probe: Ran['probe']): Promise<readonly JudgedRule[]> {
  const probed: JudgedRule[] = [];
  const runnable = run.probes.filter((check) => {
    const judgement = unmetPrerequisite(check, run);
    if (judgement) probed.push(...sameFor(check, judgement));
    return judgement === null;
  });
  if (run.signal?.aborted) return probed;
  try {
    const unplanned = await probe(runnable, (some) => probed.push(...some));
    return [...probed, ...unplanned.flatMap(untestableFor)];
  } catch (error) {
    const judgement = inconclusive(`the target failed: ${(error as Error).message}`);
    return [...probed, ...runnable.flatMap((check) => sameFor(check, judgement))];
  }
}

function sameFor(check: Check, judgement: Judgement): JudgedRule[] {
  return check.rules.map((rule) => ({ rule, judgement, exchanges: [], check }));
}

/** Every request that may count, planned for the site's metered partners; sends nothing. */
export function planOf(
  run: Omit<TargetRun, 'onJudged' | 'signal' | 'watch'>,
  checks: readonly Check[],
): SpendPlan {
  return planSpending(checks, run.budgets ?? [], run.client.facts, run.cap);
}

/** Checks that need no more than the profile gives, with the surveys that passive rules look at. */
export function checksToPlan(run: Omit<TargetRun, 'onJudged' | 'signal' | 'watch'>): Check[] {
  const runnable = checksHere(run).filter((check) => unmetPrerequisite(check, run) === null);
  const probes = run.probes.filter((check) => unmetPrerequisite(check, run) === null);
  return [...runnable, ...surveysFor(run, runnable), ...probes];
}

/** Of two checks of one rule the one for this kind of target. */
function checksHere({ checks, client }: Judging): readonly Check[] {
  const kind = client.facts.hasControl ? 'controlled' : 'metered';
  return checks.filter(({ only }) => only === undefined || only === kind);
}

function untestableFor({ check, reason, remedy }: Unplanned): JudgedRule[] {
  return sameFor(check, untestable(reason, remedy));
}

/** One well-formed request of each base request that passive rules look at and no check brings. */
function surveysFor(run: Judging, runnable: readonly Check[]): Check[] {
  const wanted = new Set(run.observations.flatMap(({ from }) => from));
  const brought = new Set(runnable.map(({ baseRequest }) => baseRequest));
  const surveys: Check[] = [];
  if (wanted.has('estimate')) surveys.push(shapeSurvey);
  for (const baseRequest of ['platform', 'refresh', 'user'] as const) {
    if (wanted.has(baseRequest) && !brought.has(baseRequest)) {
      surveys.push({
        id: `survey:${baseRequest}`,
        rules: [],
        baseRequest,
        priority: 0,
        spends: () => ({}),
        run: async () => ({}),
      });
    }
  }
  return surveys;
}
