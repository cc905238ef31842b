import type { Spend } from '../../../documents/conformance.ts';
import { FareproofError } from '../../../interface/errors.ts';
import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../interface/limits.ts';
import type { Budget } from './budgets.ts';
import type { SpendCounter } from './spend-counter.ts';

/**
 * Makes the last guard against a ban: it stops a request beyond an allowance of the day, whatever was
 * planned. A partner that may be banned is bound only by what its check declares.
 *
 * @param ledgerSpend spend of today, other runs included; undefined without a ledger
 * @returns throws FareproofError `ALLOWANCE_GUARD` for a request that must not be sent
 */
export function dailyLimit(
  budgets: readonly Budget[],
  counter: SpendCounter,
  ledgerSpend: ((partnerId: string) => Spend) | undefined,
): (partnerId: string, kinds: readonly AllowanceKind[]) => void {
  const guarded = new Map(budgets.map((budget) => [budget.partnerId, budget]));
  return (partnerId, kinds) => {
    const budget = guarded.get(partnerId);
    if (!budget || budget.mayBan) return;
    const over = kinds.find((kind) => {
      const limit = ALLOWANCE_PER_DAY[kind];
      const before = counter.isSameDay() ? limit - budget.left[kind] : 0;
      const counted = before + counter.today(partnerId, kind);
      return Math.max(counted, ledgerSpend?.(partnerId)[kind] ?? 0) >= limit;
    });
    if (over === undefined) return;
    throw new FareproofError(
      'ALLOWANCE_GUARD',
      `a further ${over} token request of ${partnerId} was not sent: it would exceed the allowance`,
    );
  };
}
