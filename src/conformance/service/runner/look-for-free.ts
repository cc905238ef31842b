import { ALLOWANCE_PER_DAY } from '../../../interface/limits.ts';
import type { Budget } from '../budget/budgets.ts';
import type { PlannedBatch, Unplanned } from '../budget/planner.ts';
import { type Check, priceOf } from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';
import type { TargetClient } from '../wire/target-client.ts';

/** Parts that are to be refused, and are left out, from which a run uses a partner to see if it can send them. */
const WORTH_A_PARTNER = 20;

/** Checks whether so many requests that are to be refused are left out that a partner is used to see if they are free. */
export const isWorthALook = (unplanned: readonly Unplanned[], facts: Facts): boolean =>
  unplanned.filter(({ check }) => priceOf(check, facts).isRefused).length >= WORTH_A_PARTNER;

/**
 * Partner by which a run looks whether refused requests are free: one that may be banned, and whose refreshes no
 * planned check needs; of several, that of the fewest rules. None where it is known.
 */
export function partnerToLook(
  budgets: readonly Budget[],
  planned: readonly PlannedBatch[],
  { facts, target }: Pick<TargetClient, 'facts' | 'target'>,
): Budget | undefined {
  if (facts.refusedAreFree || target.refusedRequestsCount !== undefined) return undefined;
  const plannedFor = ({ partnerId }: Budget): readonly Check[] =>
    planned.filter((batch) => batch.partnerId === partnerId).flatMap(({ checks }) => checks);
  const rulesOf = (budget: Budget): number =>
    plannedFor(budget).flatMap(({ rules }) => rules).length;
  return budgets
    .filter(({ mayBan, left: { platform, refresh } }) => {
      const { platform: most, refresh: mostRefreshes } = ALLOWANCE_PER_DAY;
      return mayBan && platform === most && refresh === mostRefreshes;
    })
    .filter((one) => !plannedFor(one).some((check) => priceOf(check, facts).refresh))
    .sort((a, b) => rulesOf(a) - rulesOf(b))[0];
}
