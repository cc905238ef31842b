import {
  ALLOWANCE_KINDS,
  type AllowanceKind,
  type GrantType,
  type ServiceRuleId,
} from '../../interface/index.ts';
import type { Account } from '../service/state/allowances.ts';
import type { Family } from '../service/state/tokens.ts';
import { type FaultDefinition, type FaultForms, type FaultsOf, fault } from './fault.ts';
import { type Condition, only } from './only.ts';
import type { Replacement } from './parts.ts';
import type { RequestInHand } from './request-in-hand.ts';
import { joined, named, tableOf } from './tables.ts';
import { withMethods } from './with-methods.ts';

/** Faults of the rules on allowances and bans. */
export const QUOTA_FAULTS: FaultsOf<'quota'> = {
  'quota/platform-allows-10': fault(
    'The tenth platform token request of a day is refused, and bans.',
    { allowanceRules: allowing('platform', -1) },
  ),
  'quota/platform-refuses-11th': fault('Eleven platform token requests a day pass.', {
    allowanceRules: allowing('platform', 1),
  }),
  'quota/user-allows-5': fault('The fifth user token request of a day is refused, and bans.', {
    allowanceRules: allowing('user', -1),
  }),
  'quota/user-refuses-6th': fault('Six user token requests a day pass.', {
    allowanceRules: allowing('user', 1),
  }),
  'quota/refresh-allows-10': fault('The tenth refresh of a day is refused, and bans.', {
    allowanceRules: allowing('refresh', -1),
  }),
  'quota/refresh-refuses-11th': fault('Eleven refreshes a day pass.', {
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

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const GRANT: Readonly<Record<AllowanceKind, GrantType>> = {
  platform: 'client_credentials',
  user: 'authorization_code',
  refresh: 'refresh_token',
};
const REFUSES: Readonly<Record<AllowanceKind, ServiceRuleId>> = {
  platform: 'quota/platform-refuses-11th',
  user: 'quota/user-refuses-6th',
  refresh: 'quota/refresh-refuses-11th',
};
const ALLOWS: Readonly<Record<AllowanceKind, ServiceRuleId>> = {
  platform: 'quota/platform-allows-10',
  user: 'quota/user-allows-5',
  refresh: 'quota/refresh-allows-10',
};

/** Starts of the time in which requests are counted. */
const WINDOWS: Readonly<
  Record<string, readonly [how: string, dayStartMs: (nowMs: number) => number]>
> = {
  'an-hour': ['Requests are counted for an hour.', (nowMs) => nowMs - HOUR_MS + 1],
  'twelve-hours': ['Requests are counted for 12 hours.', (nowMs) => nowMs - 12 * HOUR_MS + 1],
  'calendar-hour': [
    'Requests are counted by the hour of the clock.',
    (nowMs) => Math.floor(nowMs / HOUR_MS) * HOUR_MS,
  ],
  'calendar-half-day': [
    'Requests are counted by the half day of the clock.',
    (nowMs) => Math.floor(nowMs / (12 * HOUR_MS)) * 12 * HOUR_MS,
  ],
};

/** Durations of a ban, in milliseconds. */
const BANS: Readonly<
  Partial<Record<ServiceRuleId, Readonly<Record<string, readonly [how: string, banMs: number]>>>>
> = {
  'quota/ban-lasts-24h': {
    none: ['There is no ban.', 0],
    'an-hour': ['A ban lifts after an hour.', HOUR_MS],
    'twenty-three-hours': ['A ban lifts after 23 hours.', 23 * HOUR_MS],
  },
  'quota/ban-lifts': {
    'twenty-five-hours': ['A ban lasts 25 hours.', 25 * HOUR_MS],
    'a-week': ['A ban lasts a week.', 7 * DAY_MS],
    never: ['A ban never lifts.', 3650 * DAY_MS],
  },
};

/** Rules whose fault is also there for one kind of request only. */
const BY_KIND = [
  'quota/ban-lasts-24h',
  'quota/ban-lifts',
  'quota/daily-reset',
  'quota/per-partner',
] as const;

const ofKind =
  (kind: AllowanceKind): Condition =>
  ({ fields }) =>
    fields['grant_type'] === GRANT[kind];

const eachKind = (define: (kind: AllowanceKind) => FaultForms): FaultForms =>
  joined(ALLOWANCE_KINDS.map(define));

/** Forms of the rules on allowances and bans. */
export const QUOTA_FORMS: FaultForms = {
  ...eachKind((kind) => ({
    ...named(REFUSES[kind], WINDOWS, ([how, dayStartMs]) =>
      only(
        fault(how, { allowanceRules: (rules) => ({ ...rules, dayStartMs }) }),
        `For ${kind} tokens`,
        ofKind(kind),
      ),
    ),
    [`${REFUSES[kind]}#two-more`]: fault('Two requests too many pass.', {
      allowanceRules: allowing(kind, 2),
    }),
    [`${REFUSES[kind]}#unlimited`]: fault('Any number of requests passes.', {
      allowanceRules: allowing(kind, Number.POSITIVE_INFINITY),
    }),
    [`${ALLOWS[kind]}#two-fewer`]: fault('The last two requests of an allowance are refused.', {
      allowanceRules: allowing(kind, -2),
    }),
    [`${ALLOWS[kind]}#one`]: fault('One request a day passes.', {
      allowanceRules: (rules) => ({ ...rules, perDay: { ...rules.perDay, [kind]: 1 } }),
    }),
  })),
  'quota/refresh-allows-10#user': only(
    QUOTA_FAULTS['quota/refresh-allows-10'],
    'For user tokens',
    (one) => ofKind('refresh')(one) && one.grant?.userId != null,
  ),
  'quota/refresh-refuses-11th#user': only(
    fault('Any number of refreshes passes.', {
      allowanceRules: allowing('refresh', Number.POSITIVE_INFINITY),
    }),
    'For user tokens',
    (one) => ofKind('refresh')(one) && one.grant?.userId != null,
  ),
  'quota/platform-refuses-11th#by-scope': countedApart(
    'Platform token requests are counted by scope.',
    'platform',
    (one) => one.text('scope'),
  ),
  'quota/refresh-refuses-11th#by-chain': countedApart(
    'Refreshes are counted by the first token of a chain.',
    'refresh',
    (one) => chainOf(one.grant?.family),
  ),
  ...eachKind((kind) =>
    Object.fromEntries(
      ALLOWANCE_KINDS.filter((other) => other !== kind).map((other) => [
        `quota/counters-independent#${kind}-with-${other}`,
        together(kind, other),
      ]),
    ),
  ),
  ...tableOf(BANS, (_, [how, banMs]) =>
    fault(how, { allowanceRules: (rules) => ({ ...rules, banMs }) }),
  ),
  ...eachKind((kind) =>
    Object.fromEntries(
      BY_KIND.map((rule) => [
        `${rule}#${kind}`,
        only(QUOTA_FAULTS[rule], `For ${kind} tokens`, ofKind(kind)),
      ]),
    ),
  ),
  'quota/daily-reset#two-days': fault('An allowance is whole again after two days.', {
    allowanceRules: (rules) => ({ ...rules, dayStartMs: (nowMs) => nowMs - 2 * DAY_MS + 1 }),
  }),
};

const CHAINS = new WeakMap<Family, string>();
let chains = 0;

function chainOf(family: Family | undefined): string {
  if (family === undefined) return '';
  const known = CHAINS.get(family) ?? String(++chains);
  CHAINS.set(family, known);
  return known;
}

/** Counts requests of a kind by something that they differ in. */
function countedApart(
  how: string,
  kind: AllowanceKind,
  keyOf: (request: RequestInHand) => string,
): FaultDefinition {
  return fault(how, {
    allowances: (allowances, inHand) =>
      withMethods(allowances, {
        spend: (account, nowMs) => {
          const isApart = account.kind === kind;
          allowances.spend(isApart ? { ...account, userId: keyOf(inHand) } : account, nowMs);
        },
      }),
  });
}

/** Counts requests of a kind for another kind, too. */
function together(kind: AllowanceKind, other: AllowanceKind): FaultDefinition {
  return fault(`Requests of the kind ${kind} count as ${other}, too.`, {
    allowances: (allowances) =>
      withMethods(allowances, {
        spend: (account: Account, nowMs) => {
          allowances.spend(account, nowMs);
          const both = { ...account, kind: other };
          if (account.kind === kind && !allowances.isUsedUp(both, nowMs)) {
            allowances.spend(both, nowMs);
          }
        },
      }),
  });
}

/** Grants a number of requests a day more or fewer than the allowance. */
function allowing(kind: AllowanceKind, more: number): Replacement<'allowanceRules'> {
  return (rules) => ({ ...rules, perDay: { ...rules.perDay, [kind]: rules.perDay[kind] + more } });
}
