import { ALLOWANCE_KINDS, type AllowanceKind } from '../../interface/index.ts';
import { type FaultsOf, fault } from './fault.ts';
import type { Replacement } from './parts.ts';
import { withMethods } from './with-methods.ts';

/** Faults of the rules on allowances and bans. */
export const QUOTA_FAULTS: FaultsOf<'quota'> = {
  'quota/platform-allows-10': fault(
    'The last platform token request that a day allows is refused, and bans.',
    { allowanceRules: allowing('platform', -1) },
  ),
  'quota/platform-refuses-11th': fault(
    'One platform token request more than a day allows passes.',
    {
      allowanceRules: allowing('platform', 1),
    },
  ),
  'quota/user-allows-5': fault(
    'The last user token request that a day allows is refused, and bans.',
    {
      allowanceRules: allowing('user', -1),
    },
  ),
  'quota/user-refuses-6th': fault('One user token request more than a day allows passes.', {
    allowanceRules: allowing('user', 1),
  }),
  'quota/refresh-allows-10': fault('The last refresh that a day allows is refused, and bans.', {
    allowanceRules: allowing('refresh', -1),
  }),
  'quota/refresh-refuses-11th': fault('One refresh more than a day allows passes.', {
    allowanceRules: allowing('refresh', 1),
  }),
  'quota/counters-independent': fault(
    'Once one allowance of a partner is used up, the other two count as used up.',
    {
      allowances: (allowances) =>
        withMethods(allowances, {
          spend: (account, nowMs) => {
            const accounts = ALLOWANCE_KINDS.map((kind) => ({ ...account, kind }));
            if (accounts.some((one) => allowances.isUsedUp(one, nowMs))) {
              allowances.exceed(account, nowMs);
            }
            allowances.spend(account, nowMs);
          },
        }),
    },
  ),
  'quota/ban-lasts-24h': fault('A ban lifts after 12 hours.', {
    allowanceRules: (rules) => ({ ...rules, banMs: rules.banMs / 2 }),
  }),
  'quota/ban-lifts': fault('A ban lasts 48 hours.', {
    allowanceRules: (rules) => ({ ...rules, banMs: rules.banMs * 2 }),
  }),
  'quota/daily-reset': fault('An allowance is never whole again.', {
    allowanceRules: (rules) => ({ ...rules, dayStartMs: () => 0 }),
  }),
  'quota/per-partner': fault('A ban reaches every partner, in its kind of request.', {
    allowanceRules: (rules) => ({ ...rules, banKey: ({ kind }) => kind }),
  }),
};

/** Grants a number of requests a day more or fewer than the allowance. */
function allowing(kind: AllowanceKind, more: number): Replacement<'allowanceRules'> {
  return (rules) => ({ ...rules, perDay: { ...rules.perDay, [kind]: rules.perDay[kind] + more } });
}
