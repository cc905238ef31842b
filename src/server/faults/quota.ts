import { ALLOWANCE_KINDS, type AllowanceKind } from '../../interface/index.ts';
import type { AllowanceRules } from '../state/allowances.ts';
import type { FaultsOf } from './fault.ts';
import { withMethods } from './replace.ts';

/** Faults of the rules on allowances and bans. */
export const QUOTA_FAULTS: FaultsOf<'quota'> = {
  'quota/platform-allows-10': {
    how: 'The tenth platform token request of a day is refused, and bans.',
    replace: { allowanceRules: allowing('platform', -1) },
  },
  'quota/platform-refuses-11th': {
    how: 'Eleven platform token requests a day pass.',
    replace: { allowanceRules: allowing('platform', 1) },
  },
  'quota/user-allows-5': {
    how: 'The fifth user token request of a day is refused, and bans.',
    replace: { allowanceRules: allowing('user', -1) },
  },
  'quota/user-refuses-6th': {
    how: 'Six user token requests a day pass.',
    replace: { allowanceRules: allowing('user', 1) },
  },
  'quota/refresh-allows-10': {
    how: 'The tenth refresh of a day is refused, and bans.',
    replace: { allowanceRules: allowing('refresh', -1) },
  },
  'quota/refresh-refuses-11th': {
    how: 'Eleven refreshes a day pass.',
    replace: { allowanceRules: allowing('refresh', 1) },
  },
  'quota/counters-independent': {
    how: 'Once one allowance of a partner is used up, the other two count as used up.',
    replace: {
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
  },
  'quota/ban-lasts-24h': {
    how: 'A ban lifts after 12 hours.',
    replace: { allowanceRules: (rules) => ({ ...rules, banMs: rules.banMs / 2 }) },
  },
  'quota/ban-lifts': {
    how: 'A ban lasts 48 hours.',
    replace: { allowanceRules: (rules) => ({ ...rules, banMs: rules.banMs * 2 }) },
  },
  'quota/daily-reset': {
    how: 'An allowance is never whole again.',
    replace: { allowanceRules: (rules) => ({ ...rules, dayStartMs: () => 0 }) },
  },
  'quota/per-partner': {
    how: 'A ban reaches every partner, in its kind of request.',
    replace: { allowanceRules: (rules) => ({ ...rules, banKey: ({ kind }) => kind }) },
  },
};

function allowing(kind: AllowanceKind, more: number): (rules: AllowanceRules) => AllowanceRules {
  return (rules) => ({ ...rules, perDay: { ...rules.perDay, [kind]: rules.perDay[kind] + more } });
}
