import { ALLOWANCE_KINDS } from '../../../interface/limits.ts';
import { inconclusive } from '../../verdict.ts';
import { guardDay } from '../budget/daily-limit.ts';
import { type Budget, type Plan, type PlannedAssignment, planMetered } from '../budget/planner.ts';
import type { Check, Facts } from '../contract/check.ts';
import { Supply } from '../target/partner-pool.ts';
import type { Session, SessionWatch } from '../target/session.ts';
import type { Site } from '../target/target-client.ts';
import type { Judged } from './batch.ts';
import { comesLast, runPlan } from './planned.ts';
import type { Ran, SiteRun } from './target-run.ts';

/** Rounds of planning: what the first ones were allowed and did not spend, the next may. */
const ROUNDS = 4;

/** Runs what the allowances hold, round after round. */
export async function runMetered(
  run: SiteRun,
  budgets: readonly Budget[],
  checks: readonly Check[],
  watch: SessionWatch,
  keep: (judged: readonly Judged[]) => void,
): Promise<Ran> {
  const { site } = run;
  const guard = guardDay(budgets, site, run.spentToday);
  const supply = new Supply(site, {
    ...watch,
    beforeSpend: (partnerId, kinds) => {
      guard(partnerId, kinds);
      watch.beforeSpend?.(partnerId, kinds);
    },
  });
  const sessions = await meteredSessions(run, budgets, supply);
  const parts = { budgets, supply, sessions };
  const [first, last] = halves(planMetered(checks, budgets, site.facts, run.cap));
  const leftNow = (): Budget[] => reserve(budgetsLeft(budgets, sessions, site), last, site.facts);
  let plan = first;
  const skipped = new Set<Check>();
  for (let round = 1; round <= ROUNDS && !run.signal?.aborted; round++) {
    const left = await runPlan(run, plan, String(round), { ...parts, keep });
    for (const check of left.skipped) skipped.add(check);
    const unplanned = plan.unplanned.map(({ check }) => check);
    const waiting = [...unplanned, ...left.again, ...left.skipped];
    if (waiting.length === 0) break;
    const next = planMetered(waiting, leftNow(), site.facts, capLeft(run));
    if (next.assignments.length === 0) break;
    plan = next;
  }
  const left = leftNow();
  const ending = { assignments: last, unplanned: [] };
  for (const check of (await runPlan(run, ending, 'last', { ...parts, keep })).skipped)
    skipped.add(check);
  const isOpen = ({ rules }: Check): boolean => !rules.some((rule) => run.found.has(rule));
  keep([...skipped].filter(isOpen).flatMap(notRun));
  const probe: Ran['probe'] = async (probes, told) => {
    const beside = planMetered(probes, left, site.facts, capLeft(run));
    await runPlan(run, beside, 'probe', { ...parts, keep: told });
    return beside.unplanned;
  };
  return { unplanned: plan.unplanned.filter(({ check }) => isOpen(check)), probe };
}

/** No other partner could take its place. */
function notRun(check: Check): Judged[] {
  const judgement = inconclusive(
    'a well-formed request of its partner had been refused before, so no more was sent for this partner: it may be banned, or its signing key wrong',
  );
  return check.rules.map((rule) => ({ rule, judgement, exchanges: [], check }));
}

/** What ends in a ban, or spans days, comes when all else is done. */
function halves(plan: Plan): [Plan, readonly PlannedAssignment[]] {
  const pick = (wanted: boolean): PlannedAssignment[] =>
    plan.assignments
      .map((one) => ({ ...one, checks: one.checks.filter((check) => comesLast(check) === wanted) }))
      .filter(({ checks }) => checks.length > 0);
  // What a ban came to may depend on whether a day renews an allowance.
  const last = pick(true).sort((a, b) => daysFirst(a) - daysFirst(b));
  return [{ ...plan, assignments: pick(false) }, last];
}

function daysFirst({ checks }: PlannedAssignment): number {
  return Number(!checks.some(({ spansDays }) => spansDays));
}

/** What is left without that which the last checks will take. */
function reserve(
  budgets: readonly Budget[],
  last: readonly PlannedAssignment[],
  facts: Facts,
): Budget[] {
  return budgets.map((budget) => {
    const left = { ...budget.left };
    for (const { partnerId, carrier, checks } of last) {
      if (partnerId !== budget.partnerId) continue;
      for (const check of checks) {
        for (const kind of ALLOWANCE_KINDS) left[kind] -= check.spends(facts, carrier)[kind] ?? 0;
      }
    }
    return { ...budget, left };
  });
}

/** What is left after a round; a partner that was refused a well-formed request gets no more. */
function budgetsLeft(
  budgets: readonly Budget[],
  sessions: ReadonlyMap<string, Session>,
  site: Site,
): Budget[] {
  return budgets.flatMap((budget) => {
    const session = sessions.get(budget.partnerId);
    if (!session || session.wasRefused || budget.mayBan) return [];
    const spent = site.spend.get(session.speaker.id) ?? { platform: 0, user: 0, refresh: 0 };
    const left = {
      platform: budget.left.platform - spent.platform,
      user: budget.left.user - spent.user,
      refresh: budget.left.refresh - spent.refresh,
      codes: site.control ? budget.left.codes : session.codes.length,
    };
    return [{ ...budget, left, hasAccessToken: session.platformToken !== null }];
  });
}

function capLeft({ cap, site }: SiteRun): number | null {
  if (cap === null) return null;
  const spent = [...site.spend.values()].flatMap((kinds) => Object.values(kinds));
  return Math.max(0, cap - spent.reduce((sum, count) => sum + count, 0));
}

/** The profile's partners; under a cap on a target with a control API, fresh ones in their place. */
async function meteredSessions(
  run: SiteRun,
  budgets: readonly Budget[],
  supply: Supply,
): Promise<Map<string, Session>> {
  const sessions = new Map<string, Session>();
  for (const { partnerId, unusedCodes } of budgets) {
    const partner = run.site.target.partners.find(({ id }) => id === partnerId);
    sessions.set(partnerId, partner ? supply.of(partner, unusedCodes) : await supply.fresh());
  }
  return sessions;
}
