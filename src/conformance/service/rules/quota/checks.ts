import {
  ALLOWANCE_KINDS,
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
  BAN_MS,
} from '../../../../interface/limits.ts';
import { allowanceBreaches } from '../../../model/allowances.ts';
import { keptIn } from '../../../model/kept.ts';
import type { Check } from '../../contract/check.ts';
import type { Facts } from '../../contract/target.ts';
import {
  DAY_MS,
  HOUR_MS,
  LONGEST_DAY_MS,
  MARGIN_MS,
  METERED_SEQUENCE_MS,
  MINUTE_MS,
  PAUSE_MS,
  SEQUENCE_MS,
} from '../days.ts';
import { WIDE_SCOPE } from '../lifecycle/lineage.ts';
import { checksOf, type Model, type Script, type Scripts } from '../script/script-check.ts';
import { type Get, get, type More, type Step, user } from '../script/steps.ts';
import { afterMs, atMs, sinceBan } from '../script/waits.ts';

// An area names its rules itself, so that a search for one finds where it is checked.
const ALLOWS = {
  platform: 'quota/platform-allows-10',
  user: 'quota/user-allows-5',
  refresh: 'quota/refresh-allows-10',
} as const;

const REFUSES = {
  platform: 'quota/platform-refuses-11th',
  user: 'quota/user-refuses-6th',
  refresh: 'quota/refresh-refuses-11th',
} as const;

const LASTS = 'quota/ban-lasts-24h';
const LIFTS = 'quota/ban-lifts';
const OTHERS = 'quota/per-partner';
const RESET = 'quota/daily-reset';
const APART = 'quota/counters-independent';

const OTHER = 'another partner';

const BANNED = { refusedAs: 'banned' } as const;
const METERED_BAN = { ...BANNED, needs: { ban: true } } as const;

interface Options extends More {
  readonly count?: number;
  /** Tokens that are refreshed in turn; left out, the first. */
  readonly chains?: readonly string[];
  /** Scopes that are named in turn; undefined for none. */
  readonly scopes?: readonly (string | undefined)[];
}

/** Token requests of a kind. */
const requests = (
  kind: AllowanceKind,
  { count = 1, chains = ['first'], scopes, ...more }: Options,
): Get[] => {
  const { expects, who, wrong } = more;
  const isBeyond = expects === 'refused' && wrong === undefined;
  const end = `${who === undefined ? '' : ` of ${who}`}${isBeyond ? ` beyond the ${ALLOWANCE_PER_DAY[kind]} of a day` : ''}`;
  return Array.from({ length: count }, (_, at): Get => {
    const chain = chains[at % chains.length];
    const words =
      count > 1 ? `${kind} token request ${at + 1} of ${count}` : `a ${kind} token request`;
    return {
      ...get(kind === 'refresh' ? (chain ?? null) : null, more),
      words: `${words}${end}`,
      scope: scopes ? scopes[at % scopes.length] : more.scope,
      of: kind === 'user' ? 'user' : undefined,
      from: kind === 'refresh' ? chain : undefined,
    };
  });
};

/** Uses an allowance up. */
const use = (kind: AllowanceKind, more: Options = {}): Get[] =>
  requests(kind, { count: ALLOWANCE_PER_DAY[kind], ...more });

/** Sends one request beyond an allowance, or as a banned partner. */
const beyond = (kind: AllowanceKind, more: Options = {}): Get[] =>
  requests(kind, { expects: 'refused', ...more });

/** Sends one request that is within the allowance. */
const ask = (kind: AllowanceKind, more: Options = {}): Get[] => requests(kind, more);

const NEXT_DAY = afterMs(DAY_MS + MARGIN_MS);

/** Shortly before a ban ends. */
const BAN_ENDS = sinceBan(BAN_MS - MARGIN_MS);

/** Begins a ban; the second refusal shows that the first had no other cause. */
const ban = (kind: AllowanceKind, more: Options = {}): Get[] => beyond(kind, { count: 2, ...more });

/** Sends a request as another partner, for another user. */
const askAsOther = (kind: AllowanceKind, chain?: string): Get[] =>
  ask(kind, { who: OTHER, user: 'user-2', chains: chain === undefined ? [] : [chain] });

/** Uses an allowance up; another partner sends a request after the first. */
const useBeside = (kind: AllowanceKind, other?: string, more: Options = {}): Step[] => [
  ...use(kind, { ...more, count: 1 }),
  ...askAsOther(kind, other),
  ...use(kind, { ...more, count: ALLOWANCE_PER_DAY[kind] - 1 }),
];

/** The tokens that refreshes need: of a chain, and for probes that are refused. */
const tokensFor = (kind: AllowanceKind, chains: readonly string[], who?: string): Step[] =>
  kind === 'refresh' ? chains.map((chain) => get(chain, { who })) : [];

/** Kind of request that is sent during a ban of another one. */
const BESIDE = { platform: 'user', user: 'platform', refresh: 'platform' } as const;

/** Hours at which a ban is probed: how long it lasts, where it ends early, is the cause to name. */
const HOURS = [1, 6, 12, 18] as const;

/** The length of a ban: probed at some hours, and just before its end, beside a partner without a ban. */
const banLasts = (kind: AllowanceKind, name?: string): Script => ({
  name,
  check: BANNED,
  circumstance: `of ${kind} token requests`,
  rules: [LASTS, REFUSES[kind], OTHERS],
  steps: [
    ...tokensFor(kind, ['first', ...HOURS.map((hour) => `at ${hour} h`)]),
    ...tokensFor(kind, ['before', 'after', 'end'], OTHER),
    ...useBeside(kind, 'before'),
    afterMs(PAUSE_MS),
    ...ban(kind),
    ...askAsOther(kind, 'after'),
    ...HOURS.flatMap((hour) => [
      sinceBan(hour * HOUR_MS),
      ...beyond(kind, { chains: [`at ${hour} h`] }),
    ]),
    // What is granted of another kind ends no ban.
    ...ask(BESIDE[kind], { expects: 'either' }),
    BAN_ENDS,
    ...beyond(kind, { scope: 'public' }),
    ...beyond(kind),
    ...askAsOther(kind, 'end'),
  ],
});

/** The end of a ban during which nothing was sent: the whole allowance, and once more the request beyond it. */
const banLifts = (kind: AllowanceKind): Script => ({
  name: kind,
  check: BANNED,
  circumstance: `of ${kind} token requests, with the whole allowance`,
  rules: [LIFTS, REFUSES[kind]],
  accuses: [RESET],
  steps: [
    ...tokensFor(kind, ['first', 'second']),
    // An allowance that is never full again would refuse what comes after a ban as well.
    ...use(kind),
    NEXT_DAY,
    ...use(kind),
    afterMs(PAUSE_MS),
    ...ban(kind),
    sinceBan(BAN_MS + MARGIN_MS),
    ...use(kind, { chains: ['second'] }),
    ...beyond(kind, { chains: ['second'] }),
  ],
});

/**
 * All three allowances of a partner in one order. The tokens that are refreshed are the last ones issued before: a
 * service that keeps only a few refuses older ones.
 */
const useAll = (kinds: readonly AllowanceKind[]): Step[] => {
  const platformFirst = kinds[0] === 'platform';
  const chains = [get('first'), get('second')];
  const rest = use('platform', { count: ALLOWANCE_PER_DAY.platform - chains.length });
  const platform = platformFirst ? [...rest, ...chains] : rest;
  return [
    ...(platformFirst ? [] : chains),
    ...kinds.flatMap((kind) => (kind === 'platform' ? platform : use(kind))),
  ];
};

const IN_ORDER = ['platform', 'user', 'refresh'] as const;
const IN_REVERSE = ['refresh', 'user', 'platform'] as const;

const ALL_REFUSE = ALLOWANCE_KINDS.map((kind) => REFUSES[kind]);

/** Requests with mistakes, which give nothing of a used up allowance back. */
const wrongOnes = (kind: AllowanceKind): Get[] =>
  (['signature', 'time', ...(kind === 'user' ? (['code'] as const) : [])] as const).flatMap(
    (wrong) => beyond(kind, { wrong }),
  );

/** All three allowances on two days, exceeded after requests with mistakes, and once their bans are over. */
const reset: Script = {
  rules: [RESET, LIFTS, ...ALL_REFUSE],
  accuses: [LASTS, APART],
  steps: [
    ...useAll(IN_ORDER),
    NEXT_DAY,
    ...useAll(IN_ORDER),
    ...IN_ORDER.flatMap((kind) => [...wrongOnes(kind), ...ban(kind)]),
    sinceBan(BAN_MS + SEQUENCE_MS + MARGIN_MS),
    // In the order of the first day: if allowances were counted together, that has ended the script.
    ...use('platform', { count: ALLOWANCE_PER_DAY.platform - 1 }),
    get('second'),
    ...ask('user', { count: 2 }),
    ...ask('refresh', { count: 2, chains: ['second'] }),
    ...beyond('platform'),
  ],
};

/** All three allowances in the reverse of that order, exceeded by requests of other scopes, and their bans. */
const apart: Script = {
  rules: [APART, ...ALL_REFUSE],
  accuses: [LASTS, RESET],
  steps: [
    // An allowance that was not used is not added to that of the next day.
    ...ask('platform'),
    ...ask('user'),
    NEXT_DAY,
    ...useAll(IN_REVERSE),
    ...IN_ORDER.flatMap((kind) => ban(kind, { scopes: [WIDE_SCOPE, undefined] })),
    BAN_ENDS,
    ...IN_ORDER.flatMap((kind) => beyond(kind)),
  ],
};

/** Parts of an allowance that are used 13 hours apart: of three, no two days have more than it. */
const HALVES = { platform: [5, 5, 5], user: [2, 3, 2], refresh: [5, 5, 5] } as const;

const halves = (kind: AllowanceKind): Script => ({
  name: `halves-${kind}`,
  circumstance: `${kind} token requests every 13 hours`,
  accuses: [RESET],
  steps: [
    ...tokensFor(kind, ['first']),
    ...HALVES[kind].flatMap((count, at) => [
      ...(at === 0 ? [] : [atMs(at * 13 * HOUR_MS)]),
      ...use(kind, { count }),
    ]),
  ],
});

/** Days after which a service that counts by the day of the week, or of the month, comes to the same one. */
const SAME_DAYS = [7, 28, 29, 30, 31] as const;

/** All three allowances used up, and a request of each on later days, up to the same day of the next month. */
const months: Script = {
  name: 'months',
  circumstance: 'weeks after it was used up',
  accuses: [RESET],
  steps: [
    ...useAll(IN_ORDER),
    ...SAME_DAYS.flatMap((days) => [atMs(days * DAY_MS), ...IN_ORDER.flatMap((kind) => ask(kind))]),
  ],
};

/** Time after which half a day, and each shorter window, is over; ms. */
const HALF_DAY_MS = 12 * HOUR_MS + 10 * MINUTE_MS;

/**
 * Times at which three partners use an allowance up, ms. Half a day later each sends one request more: whatever
 * the time zone, and also where clocks are set, that is the same day for one of them, and refused.
 */
const USED_UP_AT_MS = [0, 34 * HOUR_MS + 50 * MINUTE_MS, 61 * HOUR_MS + 30 * MINUTE_MS] as const;

const window = (kind: AllowanceKind): Script => ({
  name: 'window',
  circumstance: 'half a day after it was used up',
  accuses: [REFUSES[kind]],
  steps: USED_UP_AT_MS.flatMap((startMs, at): Step[] => {
    const who = at === 0 ? undefined : `partner ${at + 1}`;
    return [
      atMs(startMs),
      ...tokensFor(kind, ['first'], who),
      ...use(kind, { who }),
      atMs(startMs + HALF_DAY_MS),
      ...ask(kind, { who, expects: 'either', untilRefused: true }),
    ];
  }),
});

/** Requests sent at once, and how many of them the allowance still covers. */
const AT_ONCE = 10;
const LEFT = 3;

/** The last requests of an allowance, and some beyond it, at once. */
const race = (kind: AllowanceKind): Script => {
  const unused = Array.from({ length: AT_ONCE - 1 }, (_, at) => `chain ${at + 2}`);
  return {
    name: 'race',
    circumstance: `${AT_ONCE} at once with ${LEFT} left`,
    rules: [REFUSES[kind]],
    steps: [
      ...tokensFor(kind, ['first', ...unused]),
      ...use(kind, { count: ALLOWANCE_PER_DAY[kind] - LEFT }),
      { atOnce: requests(kind, { count: AT_ONCE, chains: ['first', ...unused] }) },
    ],
  };
};

/** Further partners: some services refuse the request beyond the allowance at times only. */
const again = (kind: AllowanceKind, partners: number): Script => ({
  name: 'again',
  circumstance: 'by further partners',
  rules: [REFUSES[kind]],
  steps: Array.from({ length: partners }, (_, at) => `partner ${at + 1}`).flatMap((who) => [
    ...use(kind, { who }),
    ...beyond(kind, { who }),
  ]),
});

/** The ban of another partner gives nothing of an allowance back. */
const banOfAnother: Script = {
  name: 'ban-of-another',
  circumstance: 'after the ban of another partner',
  rules: [REFUSES.platform],
  steps: [
    ...use('platform', { who: OTHER }),
    ...use('platform'),
    ...ban('platform', { who: OTHER }),
    ...beyond('platform'),
  ],
};

/** The allowance of a kind, and the request beyond it, beside another partner. */
const allowance = (kind: AllowanceKind): Script => {
  const turns = { chains: ['of user', 'first'] };
  return {
    // The first of those that ban a partner judges whether a ban affects others.
    check: { ...BANNED, priority: kind === 'platform' ? { rank: 1 } : undefined },
    rules: [ALLOWS[kind], REFUSES[kind], OTHERS],
    accuses: [LASTS, APART],
    steps: [
      // If allowances were counted together, the tokens would take some of the ten.
      ...(kind === 'refresh'
        ? [get('first'), user('of user'), get('other', { who: OTHER }), NEXT_DAY]
        : []),
      ...useBeside(kind, 'other', turns),
      // Refreshes of a user's token are counted as refreshes only.
      ...(kind === 'refresh' ? ask('user') : []),
      ...ban(kind, { ...turns, scopes: ['public', undefined] }),
      ...askAsOther(kind, 'other'),
      BAN_ENDS,
      ...beyond(kind),
    ],
  };
};

/** Time before a ban's end in which a resumed run may probe it, ms; a run that waits probes it later. */
const WINDOW_MS = 30 * MINUTE_MS;

/** Time of a partner's whole allowance and the minute's rest before the request beyond, ms. */
const CLEAR_MS = METERED_SEQUENCE_MS + MINUTE_MS;

/** Probes a ban before its end, beside a partner without one. */
const probeBan = ({ waits }: Facts): Step[] => [
  waits ? BAN_ENDS : sinceBan(BAN_MS - WINDOW_MS, CLEAR_MS),
  ...beyond('platform'),
  ...ask('platform', { who: OTHER }),
];

const meteredPlatform: Script = {
  check: METERED_BAN,
  rules: [ALLOWS.platform, OTHERS],
  steps: ({ waits, asked }) => [
    ...useBeside('platform'),
    ...(waits && asked(LASTS) ? [afterMs(PAUSE_MS)] : []),
    ...beyond('platform'),
    ...ask('platform', { who: OTHER }),
  ],
  later: {
    [LASTS]: probeBan,
    // A second ban that does not begin shows that the first refusal was for the rate.
    [REFUSES.platform]: [],
  },
  inDoubt: {
    [LASTS]: (facts) => [
      // The probe was the first of the day.
      ...use('platform', { count: ALLOWANCE_PER_DAY.platform - 1 }),
      ...beyond('platform', { isRested: true }),
      ...probeBan(facts),
    ],
  },
};

const meteredRefresh: Script = {
  check: { ...METERED_BAN, dependsOn: { [LIFTS]: RESET } },
  spare: { later: { platform: 1, refresh: 1 } },
  rules: [ALLOWS.refresh, REFUSES.refresh],
  steps: ({ asked }) => [
    ...(asked(LIFTS) ? [get('kept')] : []),
    get('first'),
    ...use('refresh'),
    ...beyond('refresh'),
  ],
  later: {
    [LIFTS]: [sinceBan(BAN_MS + MARGIN_MS), ...ask('refresh', { chains: ['kept'] })],
  },
};

/** Uses the refreshes of a day up, and again the next day: any partner is suitable. */
const meteredReset: Script = {
  check: {
    needs: { otherPartner: true },
    effect: 'uses-up',
    priority: { rank: 1 },
  },
  steps: [get('first'), ...use('refresh')],
  later: { [RESET]: [afterMs(LONGEST_DAY_MS + MARGIN_MS), get('first'), ...use('refresh')] },
};

const meteredUser: Script = {
  check: { ...METERED_BAN, priority: { rank: 6 } },
  // A request may show whether the partner is banned.
  spare: { platform: 1 },
  rules: [ALLOWS.user, REFUSES.user],
  steps: [...use('user'), ...beyond('user')],
};

/** Uses all allowances of one partner up, which would leave other rules none. */
const meteredApart: Script = {
  ...apart,
  check: { needs: { control: true } },
  rules: [APART],
  accuses: [],
};

const ALLOWANCES: Model = {
  check: {
    acceptance: Object.fromEntries(
      [...Object.values(ALLOWS), OTHERS, APART, RESET, LIFTS].map((rule) => [rule, 'demanded']),
    ),
    effect: 'bans',
  },
  breachesIn: ({ all, own }) => allowanceBreaches(all, new Set(own.map(({ partner }) => partner))),
  keptIn: ({ own }, rule) => keptIn(own, rule),
};

/** Scripts where requests are free, each line those of one check. */
const FREE: readonly (readonly Script[])[] = [
  [reset, ...IN_ORDER.map(halves), months, banLifts('user'), banLifts('refresh')],
  [allowance('platform'), window('platform'), race('platform'), again('platform', 1), banOfAnother],
  [allowance('user'), window('user'), race('user'), again('user', 2)],
  [allowance('refresh'), window('refresh'), race('refresh')],
  [apart],
  [banLasts('platform'), banLasts('user', 'user'), banLasts('refresh', 'refresh')],
];

/** Scripts for metered targets, of one check each. */
const METERED = [meteredReset, meteredPlatform, meteredUser, meteredRefresh, meteredApart];

/** Checks of the area `quota` (interface.md, "Limits"). */
export const quotaChecks: readonly Check[] = [
  ...FREE.map((free): Scripts => ({ free, metered: [] })),
  ...METERED.map((script): Scripts => ({ free: [], metered: [script] })),
].map((scripts) => checksOf(scripts, ALLOWANCES));
