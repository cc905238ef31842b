import { ALLOWANCE_KINDS } from '../../../interface/limits.ts';
import { inconclusive } from '../../verdict.ts';
import { guardDay } from '../budget/daily-limit.ts';
import { type Budget, type PlannedBatch, planSpending, type SpendPlan } from '../budget/planner.ts';
import type { Check } from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';
import { PartnerPool } from '../target/partner-pool.ts';
import type { Session, SessionWatch } from '../target/session.ts';
import type { TargetClient } from '../target/target-client.ts';
import type { JudgedRule } from './batch.ts';
import { comesLast, runBatches } from './planned.ts';
import type { Ran, TargetRun } from './target-run.ts';

/** Rounds of planning: what the first ones were allowed and did not spend, the next may. */
const ROUNDS = 4;

/** Runs what the allowances hold, round after round. */
export async function runMetered(
  run: TargetRun,
  budgets: readonly Budget[],
  checks: readonly Check[],
  watch: SessionWatch,
  keep: (judged: readonly JudgedRule[]) => void,
): Promise<Ran> {
  const { client } = run;
  const guard = guardDay(budgets, client, run.spentToday);
  const pool = new PartnerPool(client, {
    ...watch,
    beforeSpend: (partnerId, kinds) => {
      guard(partnerId, kinds);
      watch.beforeSpend?.(partnerId, kinds);
    },
  });
  const sessions = await meteredSessions(run, budgets, pool);
  const parts = { budgets, pool, sessions };
  const [first, last] = halves(planSpending(checks, budgets, client.facts, run.cap));
  const leftNow = (): Budget[] =>
    reserve(budgetsLeft(budgets, sessions, client), last, client.facts);
  let plan = first;
  const skipped = new Set<Check>();
  for (let round = 1; round <= ROUNDS && !run.signal?.aborted; round++) {
    const left = await runBatches(run, plan, String(round), { ...parts, keep });
    for (const check of left.skipped) skipped.add(check);
    const unplanned = plan.unplanned.map(({ check }) => check);
    const waiting = [...unplanned, ...left.again, ...left.skipped];
    if (waiting.length === 0) break;
    const next = planSpending(waiting, leftNow(), client.facts, capLeft(run));
    if (next.batches.length === 0) break;
    plan = next;
  }
  const left = leftNow();
  const ending = { batches: last, unplanned: [] };
  for (const check of (await runBatches(run, ending, 'last', { ...parts, keep })).skipped)
    skipped.add(check);
  const isOpen = ({ rules }: Check): boolean => !rules.some((rule) => run.found.has(rule));
  keep([...skipped].filter(isOpen).flatMap(notRun));
  const probe: Ran['probe'] = async (probes, told) => {
    const beside = planSpending(probes, left, client.facts, capLeft(run));
    await runBatches(run, beside, 'probe', { ...parts, keep: told });
    return beside.unplanned;
  };
  return { unplanned: plan.unplanned.filter(({ check }) => isOpen(check)), probe };
}

/** No other partner could take its place. */
function notRun(check: Check): JudgedRule[] {
  const judgement = inconclusive(
    'a well-formed request of its partner had been refused before, so no more was sent for this partner: it may be banned, or its signing key wrong',
  );
  return check.rules.map((rule) => ({ rule, judgement, exchanges: [], check }));
}

/** What ends in a ban, or spans days, comes when all else is done. */
function halves(plan: SpendPlan): [SpendPlan, readonly PlannedBatch[]] {
  const pick = (wanted: boolean): PlannedBatch[] =>
    plan.batches
      .map((one) => ({ ...one, checks: one.checks.filter((check) => comesLast(check) === wanted) }))
      .filter(({ checks }) => checks.length > 0);
  const depends = ({ checks }: PlannedBatch): number =>
    Number(checks.some(({ dependsOn }) => dependsOn !== undefined));
  const last = pick(true).sort((a, b) => depends(a) - depends(b));
  return [{ ...plan, batches: pick(false) }, last];
}

/** What is left without that which the last checks will take. */
function reserve(
  budgets: readonly Budget[],
  last: readonly PlannedBatch[],
  facts: Facts,
): Budget[] {
  return budgets.map((budget) => {
    const left = { ...budget.left };
    for (const { partnerId, baseRequest, checks } of last) {
      if (partnerId !== budget.partnerId) continue;
      for (const check of checks) {
        for (const kind of ALLOWANCE_KINDS)
          left[kind] -= check.spends(facts, baseRequest)[kind] ?? 0;
      }
    }
    return { ...budget, left };
  });
}

/** What is left after a round; a partner that was refused a well-formed request gets no more. */
function budgetsLeft(
  budgets: readonly Budget[],
  sessions: ReadonlyMap<string, Session>,
  client: TargetClient,
): Budget[] {
  return budgets.flatMap((budget) => {
    const session = sessions.get(budget.partnerId);
    if (!session || session.wasRefused || budget.mayBan) return [];
    const spent = client.spend.get(session.partner.id) ?? { platform: 0, user: 0, refresh: 0 };
    const left = {
      platform: budget.left.platform - spent.platform,
      user: budget.left.user - spent.user,
      refresh: budget.left.refresh - spent.refresh,
      codes: client.control ? budget.left.codes : session.codes.length,
    };
    return [{ ...budget, left, hasAccessToken: session.platformToken !== null }];
  });
}

function capLeft({ cap, client }: TargetRun): number | null {
  if (cap === null) return null;
  const spent = [...client.spend.values()].flatMap((kinds) => Object.values(kinds));
  return Math.max(0, cap - spent.reduce((sum, count) => sum + count, 0));
}

/** The profile's partners; under a cap on a target with a control API, fresh ones in their place. */
async function meteredSessions(
  run: TargetRun,
  budgets: readonly Budget[],
  pool: PartnerPool,
): Promise<Map<string, Session>> {
  const sessions = new Map<string, Session>();
  for (const { partnerId, unusedCodes } of budgets) {
    const partner = run.client.target.partners.find(({ id }) => id === partnerId);
    sessions.set(partnerId, partner ? pool.of(partner, unusedCodes) : await pool.fresh());
  }
  return sessions;
}
