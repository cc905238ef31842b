import { ALLOWANCE_KINDS, type AllowanceKind } from '../../../interface/limits.ts';
import type { PlannedBatch, SpendPlan } from '../budget/planner.ts';
import { type Check, isWaiting, priceOf } from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';

/** Checks whether a check leaves its partner without allowance for a day. */
export function isRisky({ needs, effect }: Check): boolean {
  return needs?.ban === true || effect === 'uses-up';
}

/** Checks whether a check is risky, or waits: the tokens of others end meanwhile. Such checks run last. */
export function comesLast(check: Check): boolean {
  return isRisky(check) || isWaiting(check);
}

/** Splits off what comes last. */
export function splitPlan(plan: SpendPlan): [SpendPlan, PlannedBatch[]] {
  const pick = (wanted: boolean): PlannedBatch[] =>
    plan.batches
      .map((one) => ({ ...one, checks: one.checks.filter((check) => comesLast(check) === wanted) }))
      .filter(({ checks }) => checks.length > 0);
  const depends = ({ checks }: PlannedBatch): number =>
    Number(checks.some(({ dependsOn }) => dependsOn !== undefined));
  const last = pick(true).sort((a, b) => depends(a) - depends(b));
  return [{ ...plan, batches: pick(false) }, last];
}

/** Sums what a partner's last batches will spend. */
export function spendingOfLast(
  last: readonly PlannedBatch[],
  partnerId: string,
  facts: Facts,
): Record<AllowanceKind | 'codes', number> {
  const total = { platform: 0, user: 0, refresh: 0, codes: 0 };
  for (const { baseRequest, checks } of last.filter((one) => one.partnerId === partnerId)) {
    for (const check of checks) {
      const spends = priceOf(check, facts, baseRequest);
      for (const kind of [...ALLOWANCE_KINDS, 'codes'] as const) total[kind] += spends[kind] ?? 0;
    }
  }
  return total;
}
