import { FareproofError } from '../../../interface/errors.ts';
import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../interface/limits.ts';
import type { SessionWatch } from '../target/session.ts';
import type { TargetClient } from '../target/target-client.ts';
import type { Budget } from './planner.ts';

/**
 * Stops a request that would go past an allowance of the day, whatever was planned: the last guard
 * against a ban. What other runs spent meanwhile is known where there is a ledger. A partner that may be banned is bound by what its check declares alone.
 */
export function guardDay(
  budgets: readonly Budget[],
  client: TargetClient,
  spentToday?: (partnerId: string) => Readonly<Record<AllowanceKind, number>>,
): NonNullable<SessionWatch['beforeSpend']> {
  const guarded = new Map(budgets.map((budget) => [budget.partnerId, budget]));
  return (partnerId, kinds) => {
    const budget = guarded.get(partnerId);
    if (!budget || budget.mayBan) return;
    const over = kinds.find((kind) => {
      const before = client.isSameDay() ? ALLOWANCE_PER_DAY[kind] - budget.left[kind] : 0;
      const counted = before + client.countedToday(partnerId, kind);
      return Math.max(counted, spentToday?.(partnerId)[kind] ?? 0) >= ALLOWANCE_PER_DAY[kind];
    });
    if (over === undefined) return;
    throw new FareproofError(
      'ALLOWANCE_GUARD',
      `a further ${over} token request of ${partnerId} was not sent: it would go past the allowance`,
    );
  };
}
