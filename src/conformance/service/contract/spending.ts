import type { AllowanceKind } from '../../../interface/limits.ts';
import type { BaseRequest } from './base-request.ts';

/** Token requests by allowance, and auth codes; a missing one is 0. */
export type Spending = { readonly [kind in AllowanceKind | 'codes']?: number | undefined };

/** Spending of one request that varies a base request; estimates cost nothing. */
export function spendingOf(baseRequest: BaseRequest): Spending {
  const spends = baseRequest === 'platform' || baseRequest === 'user' || baseRequest === 'refresh';
  return spends ? { [baseRequest]: 1 } : {};
}

/** Spending of several requests of one kind. */
export function times(spending: Spending, count: number): Spending {
  return Object.fromEntries(
    Object.entries(spending).map(([kind, number]) => [kind, (number ?? 0) * count]),
  );
}
