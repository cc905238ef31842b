import type { RuleResult } from '../../../documents/conformance.ts';
import { CLIENT_CHECKS } from '../rules/all.ts';
import type { ClientCheck } from '../rules/check.ts';
import type { ClientRecord } from './client-record.ts';
import { isMeantToJudge } from './rule-result.ts';

/**
 * Declaration of whether the client orders rides for users who have no contact with the service; null
 * if there is none.
 */
export type Orders = 'yes' | 'no' | null;

const ON_BEHALF = 'client/scope-on-behalf';

/** The checks that apply to a client: traffic does not show for whom it orders. */
export function checksFor(orders: Orders): readonly ClientCheck[] {
  return orders === 'yes' ? CLIENT_CHECKS : CLIENT_CHECKS.filter(({ rule }) => rule !== ON_BEHALF);
}

/** Replaces the result of the rule that binds only clients that order rides for users. */
export function withOrders(
  result: RuleResult,
  orders: Orders,
  records: readonly ClientRecord[],
): RuleResult {
  if (result.id !== ON_BEHALF || orders === 'yes') return result;
  if (orders === 'no') {
    return {
      ...result,
      verdict: 'excluded',
      reason: 'the client is declared to order no rides for users (--orders no)',
    };
  }
  if (!records.some((record) => isMeantToJudge(record, ON_BEHALF))) return result;
  return {
    ...result,
    verdict: 'untestable',
    reason: 'it is not declared whether the client orders rides for users',
    remedy: '--orders yes judges the rule, --orders no excludes it',
  };
}
