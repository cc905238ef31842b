import {
  ALLOWANCE_KINDS,
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
} from '../../../../interface/limits.ts';
import type { Check } from '../../contract/check.ts';
import type { Facts } from '../../contract/target.ts';
import { WIDE_SCOPE } from '../lifecycle/lineage.ts';
import { DAY_MS, LONGEST_DAY_MS, MARGIN_MS, METERED_SEQUENCE_MS, PAUSE_MS } from './day.ts';
import { type Step, type Who } from './script.ts';
import { ALLOWS, meteredScript, REFUSES, type Script, scriptOf } from './scripted.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const LASTS = 'quota/ban-lasts-24h';
const LIFTS = 'quota/ban-lifts';
const OTHERS = 'quota/per-partner';
const RESET = 'quota/daily-reset';
const APART = 'quota/counters-independent';

const OTHER = 'another partner';

type Options = Partial<Extract<Step, { readonly expects: unknown }>>;

/** Uses an allowance up. */
const use = (kind: AllowanceKind, more: Options = {}): Step => ({
  kind,
  count: ALLOWANCE_PER_DAY[kind],
  expects: 'accepted',
  ...more,
});

/** Sends one request beyond an allowance, or as a banned partner. */
const beyond = (kind: AllowanceKind, more: Options = {}): Step => ({
  kind,
  expects: 'refused',
  ...more,
});

/** Sends one request that is within the allowance. */
const ask = (kind: AllowanceKind, more: Options = {}): Step => ({
  kind,
  expects: 'accepted',
  ...more,
});

const start = (
  chain: string = 'first',
  more: Partial<Extract<Step, { readonly chain: string }>> = {},
): Step => ({ chain, ...more });

const after = (afterMs: number): Step => ({ afterMs });

const NEXT_DAY = after(DAY_MS + MARGIN_MS);

/** Begins a ban; the second refusal shows that the first had no other cause. */
const ban = (kind: AllowanceKind, more: Options = {}): Step => beyond(kind, { count: 2, ...more });

/** Uses an allowance up; another partner sends a request after the first. */
const useBeside = (kind: AllowanceKind, other: Options = {}): Step[] => [
  use(kind, { count: 1 }),
  ask(kind, { who: OTHER, ...other }),
  use(kind, { count: ALLOWANCE_PER_DAY[kind] - 1 }),
];

/** The tokens that refreshes need: of a chain, and for probes that are refused. */
const tokensFor = (kind: AllowanceKind, chains: readonly string[], who?: Who): Step[] =>
  kind === 'refresh' ? chains.map((chain) => start(chain, { who })) : [];

/** The length of a ban: probed at some hours, and just before its end, beside a partner without a ban. */
const banLasts = (kind: AllowanceKind, name: string, hours: readonly number[]): Script => ({
  rule: LASTS,
  name,
  refusedAs: 'banned',
  circumstance: `of ${kind} token requests${hours.length > 0 ? ', probed often' : ''}`,
  rules: [REFUSES[kind], OTHERS, LASTS],
  steps: () => [
    ...tokensFor(kind, ['first', ...hours.map((hour) => `at ${hour} h`)]),
    ...tokensFor(kind, ['before', 'after', 'end'], OTHER),
    ...useBeside(kind, { user: 'user-2', chains: ['before'] }),
    after(PAUSE_MS),
    ban(kind),
    ask(kind, { who: OTHER, user: 'user-2', chains: ['after'] }),
    ...hours.flatMap((hour) => [
      { afterBanMs: hour * HOUR_MS },
      beyond(kind, { chains: [kind === 'refresh' ? `at ${hour} h` : 'first'], scopes: [null] }),
    ]),
    { beforeBanEndsMs: MARGIN_MS },
    beyond(kind, { scopes: ['public'] }),
    beyond(kind),
    ask(kind, { who: OTHER, user: 'user-2', chains: ['end'] }),
  ],
});

/** The end of a ban during which nothing was sent: the whole allowance, and once more the request beyond it. */
const banLifts = (kind: AllowanceKind, name: string): Script => ({
  rule: LIFTS,
  name,
  refusedAs: 'banned',
  circumstance: `of ${kind} token requests, with the whole allowance`,
  rules: [REFUSES[kind], LIFTS],
  accuses: [RESET],
  steps: () => [
    ...tokensFor(kind, ['first', 'second']),
    // An allowance that is never full again would refuse what comes after a ban as well.
    use(kind),
    NEXT_DAY,
    use(kind),
    after(PAUSE_MS),
    ban(kind),
    { afterBanMs: DAY_MS + MARGIN_MS },
    use(kind, { chains: ['second'] }),
    beyond(kind, { chains: ['second'] }),
  ],
});

/** All three allowances of a partner in one order; one of the platform tokens starts the refreshes. */
const useAll = (kinds: readonly AllowanceKind[]): Step[] => [
  start(),
  ...kinds.map((kind) => use(kind, kind === 'platform' ? { count: 9 } : {})),
];

const IN_ORDER = ['platform', 'user', 'refresh'] as const;
const IN_REVERSE = ['refresh', 'user', 'platform'] as const;

const ALL_REFUSE = ALLOWANCE_KINDS.map((kind) => REFUSES[kind]);

/** Once all three are used up, each is exceeded, and its ban probed. */
const exceedAll: readonly Step[] = [
  ...IN_ORDER.map((kind) => ban(kind)),
  { beforeBanEndsMs: MARGIN_MS },
  ...IN_ORDER.map((kind) => beyond(kind)),
];

const reset: Script = {
  rule: RESET,
  rules: [...ALL_REFUSE, RESET],
  accuses: [LASTS],
  steps: () => [...useAll(IN_ORDER), NEXT_DAY, ...useAll(IN_ORDER), ...exceedAll],
};

const apart = (name: string | undefined, kinds: readonly AllowanceKind[]): Script => ({
  rule: APART,
  name,
  circumstance: 'in reverse order',
  rules: name === undefined ? [...ALL_REFUSE, APART] : [APART],
  accuses: name === undefined ? [LASTS] : [],
  steps: () => [...useAll(kinds), ...(name === undefined ? exceedAll : [])],
});

/** Parts of an allowance that are used 13 hours apart: of three, no two days have more than it. */
const HALVES = { platform: [5, 5, 5], user: [2, 3, 2], refresh: [5, 5, 5] } as const;

const halves = (kind: AllowanceKind): Script => ({
  rule: RESET,
  name: `halves-${kind}`,
  circumstance: `${kind} token requests every 13 hours`,
  rules: [],
  accuses: [RESET],
  steps: () => [
    ...tokensFor(kind, ['first']),
    ...HALVES[kind].flatMap((count, at) => [
      ...(at === 0 ? [] : [{ atMs: at * 13 * HOUR_MS }]),
      use(kind, { count }),
    ]),
  ],
});

/** Time after which half a day, and each shorter window, is over; ms. */
const HALF_DAY_MS = 12 * HOUR_MS + 10 * MINUTE_MS;

/**
 * Times at which three partners use an allowance up, ms. Half a day later each sends one request more: whatever
 * the time zone, and also where clocks are set, that is the same day for one of them, and refused.
 */
const USED_UP_AT_MS = [0, 34 * HOUR_MS + 50 * MINUTE_MS, 61 * HOUR_MS + 30 * MINUTE_MS] as const;

const window = (kind: AllowanceKind): Script => ({
  rule: REFUSES[kind],
  name: 'window',
  circumstance: 'half a day after it was used up',
  rules: [],
  accuses: [REFUSES[kind]],
  steps: () =>
    USED_UP_AT_MS.flatMap((atMs, at): Step[] => {
      const who = at === 0 ? undefined : `partner ${at + 1}`;
      return [
        { atMs },
        ...tokensFor(kind, ['first'], who),
        use(kind, { who }),
        { atMs: atMs + HALF_DAY_MS },
        ask(kind, { who, expects: 'either', untilRefused: true }),
      ];
    }),
});

/** Requests sent at once, and how many of them the allowance still covers. */
const AT_ONCE = 10;
const LEFT = 3;

const SCOPES = [null, 'public', 'public rides.read', 'public profile'] as const;

/** Requests of several scopes, on the second day of a partner, the last of them at once. */
const race = (kind: AllowanceKind): Script => {
  const unused = Array.from({ length: AT_ONCE - 1 }, (_, at) => `chain ${at + 2}`);
  return {
    rule: REFUSES[kind],
    name: 'race',
    circumstance: `${AT_ONCE} at once with ${LEFT} left`,
    rules: [REFUSES[kind]],
    steps: () => [
      ...tokensFor(kind, ['first', ...unused]),
      use(kind, { count: ALLOWANCE_PER_DAY[kind] - LEFT }),
      {
        kind,
        count: AT_ONCE,
        expects: 'either',
        atOnce: true,
        chains: ['first', ...unused],
      },
    ],
  };
};

const scopes = (kind: 'platform' | 'user'): Script => ({
  rule: REFUSES[kind],
  name: 'scopes',
  circumstance: 'of several scopes',
  rules: [REFUSES[kind]],
  accuses: [LASTS],
  steps: () => [
    // An allowance that was not used is not added to that of the next day.
    ask(kind),
    NEXT_DAY,
    use(kind, { scopes: SCOPES }),
    ban(kind, { scopes: ['public'] }),
    { beforeBanEndsMs: MARGIN_MS },
    beyond(kind),
  ],
});

/** Refreshes of several chains in turn. */
const chains = (name: string, circumstance: string, starts: readonly Step[]): Script => {
  const names = starts.flatMap((step) => ('chain' in step ? [step.chain] : []));
  const scopesOf = starts.map((step) => ('chain' in step ? (step.scope ?? null) : null));
  const turns = { chains: names, scopes: scopesOf };
  return {
    rule: REFUSES.refresh,
    name,
    circumstance,
    rules: [ALLOWS.refresh, REFUSES.refresh],
    accuses: [LASTS],
    steps: () => [
      ...starts,
      // If allowances were counted together, the tokens would take some of the ten.
      NEXT_DAY,
      use('refresh', turns),
      ban('refresh', turns),
      { beforeBanEndsMs: MARGIN_MS },
      beyond('refresh', turns),
    ],
  };
};

/** Further partners: some services refuse the request beyond the allowance at times only. */
const again = (kind: AllowanceKind, partners: number): Script => ({
  rule: REFUSES[kind],
  name: 'again',
  circumstance: 'by further partners',
  rules: [REFUSES[kind]],
  steps: () =>
    Array.from({ length: partners }, (_, at) => `partner ${at + 1}`).flatMap((who) => [
      use(kind, { who }),
      beyond(kind, { who }),
    ]),
});

/** Requests with mistakes, and the ban of another partner, give nothing of an allowance back. */
const mistakes = (kind: AllowanceKind): Script => ({
  rule: REFUSES[kind],
  name: 'mistakes',
  circumstance: 'after requests with mistakes',
  rules: [REFUSES[kind]],
  steps: () => [
    ...tokensFor(kind, ['first']),
    ...(kind === 'platform' ? [use(kind, { who: OTHER })] : []),
    use(kind),
    ...(kind === 'platform' ? [ban(kind, { who: OTHER })] : []),
    beyond(kind, { wrong: 'signature' }),
    beyond(kind, { wrong: 'time' }),
    ...(kind === 'user' ? [beyond(kind, { wrong: 'code' })] : []),
    beyond(kind),
  ],
});

/** Refreshes of a user's token are counted as refreshes only. */
const refreshesOfUser: Script = {
  rule: APART,
  name: 'user',
  circumstance: "beside refreshes of a user's token",
  rules: [],
  accuses: [APART],
  steps: () => [
    start('first', { of: 'user' }),
    use('refresh', { count: 3 }),
    use('user', { count: 4 }),
  ],
};

/** The allowance of a kind, and the request beyond it. */
const allowance = (kind: AllowanceKind): Script => ({
  rule: ALLOWS[kind],
  refusedAs: 'banned',
  rules: [ALLOWS[kind], REFUSES[kind], ...(kind === 'platform' ? [OTHERS] : [])],
  accuses: [LASTS],
  // The first of those that ban a partner judges whether a ban affects others.
  priority: kind === 'platform' ? { rank: 1 } : undefined,
  steps: () => [
    // If allowances were counted together, the token would take one of the ten.
    ...(kind === 'refresh' ? [start(), NEXT_DAY] : []),
    ...(kind === 'platform' ? useBeside(kind) : [use(kind)]),
    ban(kind),
    ...(kind === 'platform' ? [ask(kind, { who: OTHER })] : []),
    { beforeBanEndsMs: MARGIN_MS },
    beyond(kind),
  ],
});

/** Time before a ban's end in which a resumed run may probe it, ms; a run that waits probes it later. */
const WINDOW_MS = 30 * MINUTE_MS;

/** Time of a partner's whole allowance and the minute's rest before the request beyond, ms. */
const CLEAR_MS = METERED_SEQUENCE_MS + MINUTE_MS;

/** Probes a ban before its end, beside a partner without one. */
const probeBan = ({ waits }: Facts): Step[] => [
  waits ? { beforeBanEndsMs: MARGIN_MS } : { beforeBanEndsMs: WINDOW_MS, clearMs: CLEAR_MS },
  beyond('platform'),
  ask('platform', { who: OTHER }),
];

const meteredPlatform: Script = {
  rule: ALLOWS.platform,
  refusedAs: 'banned',
  rules: [ALLOWS.platform, OTHERS],
  spends: { platform: 11, later: { platform: 12 } },
  steps: ({ waits, asked }) => [
    ...useBeside('platform'),
    ...(waits && asked(LASTS) ? [after(PAUSE_MS)] : []),
    beyond('platform'),
    ask('platform', { who: OTHER }),
  ],
  later: {
    [LASTS]: probeBan,
    // A second ban that does not begin shows that the first refusal was for the rate.
    [REFUSES.platform]: () => [],
  },
  inDoubt: {
    [LASTS]: (facts) => [
      // The probe was the first of the day.
      use('platform', { count: ALLOWANCE_PER_DAY.platform - 1 }),
      beyond('platform', { isRested: true }),
      ...probeBan(facts),
    ],
  },
};

const meteredRefresh: Script = {
  rule: ALLOWS.refresh,
  refusedAs: 'banned',
  rules: [ALLOWS.refresh, REFUSES.refresh],
  dependsOn: { [LIFTS]: RESET },
  spends: { platform: 2, refresh: 11, later: { platform: 1, refresh: 2 } },
  steps: ({ asked }) => [
    ...(asked(LIFTS) ? [start('kept')] : []),
    start(),
    use('refresh'),
    beyond('refresh'),
  ],
  later: {
    [LIFTS]: () => [{ afterBanMs: DAY_MS + MARGIN_MS }, ask('refresh', { chains: ['kept'] })],
  },
};

/** Uses the refreshes of a day up, and again the next day: any partner is suitable. */
const meteredReset: Script = {
  rule: RESET,
  rules: [],
  priority: { rank: 1 },
  spends: { platform: 1, refresh: 10, later: { platform: 1, refresh: 10 } },
  steps: () => [start(), use('refresh')],
  later: { [RESET]: () => [after(LONGEST_DAY_MS + MARGIN_MS), start(), use('refresh')] },
};

const meteredUser: Script = {
  rule: ALLOWS.user,
  refusedAs: 'banned',
  rules: [ALLOWS.user, REFUSES.user],
  priority: { rank: 6 },
  spends: { platform: 1, user: 6, codes: 6 },
  steps: () => [use('user'), beyond('user')],
};

/** Checks of the area `quota` (interface.md, "Limits"). */
export const quotaChecks: readonly Check[] = [
  scriptOf(reset, (['platform', 'user', 'refresh'] as const).map(halves)),
  scriptOf(allowance('platform'), [
    window('platform'),
    race('platform'),
    scopes('platform'),
    again('platform', 1),
    mistakes('platform'),
  ]),
  scriptOf(allowance('user'), [
    window('user'),
    race('user'),
    scopes('user'),
    again('user', 2),
    mistakes('user'),
  ]),
  scriptOf(allowance('refresh'), [
    window('refresh'),
    race('refresh'),
    chains('chains', 'of two chains', [start(), start('second')]),
    chains('scopes', 'of two scopes', [start(), start('second', { scope: WIDE_SCOPE })]),
    chains('user', "of a user's token", [start('first', { of: 'user' })]),
    mistakes('refresh'),
  ]),
  scriptOf(apart(undefined, IN_ORDER), [apart('reverse', IN_REVERSE), refreshesOfUser]),
  scriptOf(banLasts('platform', '', [1, 12]), [
    banLasts('user', 'user', []),
    banLasts('refresh', 'refresh', []),
  ]),
  scriptOf(banLifts('platform', ''), [banLifts('user', 'user'), banLifts('refresh', 'refresh')]),
  meteredScript(meteredReset, { effect: 'uses-up', needs: { otherPartner: true } }),
  meteredScript(meteredPlatform, { needs: { ban: true } }),
  meteredScript(meteredUser, { needs: { ban: true } }),
  meteredScript(meteredRefresh, { needs: { ban: true } }),
  // Three whole allowances of one partner would leave other rules none.
  meteredScript(
    { ...apart(undefined, IN_ORDER), rules: [APART], accuses: [] },
    { needs: { control: true } },
  ),
];
