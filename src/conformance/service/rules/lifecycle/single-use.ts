import { type Facts, isRoomy } from '../../contract/target.ts';
import { DAY_MS, MINUTE_MS } from '../days.ts';
import { part, type Script, type Scripts } from '../script/script-check.ts';
import {
  chain,
  get,
  type More,
  refresh,
  replay,
  type Step,
  use,
  user,
  userChain,
} from '../script/steps.ts';
import { A_MINUTE, afterEnd, afterMs, NEXT_DAY } from '../script/waits.ts';
import { WIDE_SCOPE } from './lineage.ts';

/**
 * A replay is the last use of its family, which may end with it. The refresh of the next family shows that
 * refreshes are still accepted.
 */
const SINGLE_USE: Script = {
  steps: (facts) => [
    get('first'),
    get('other'),
    refresh('first', 'second'),
    ...(isRoomy(facts)
      ? [refresh('second', 'third'), replay('second'), replay('first', { same: true })]
      : [replay('first')]),
    refresh('other', 'end'),
  ],
};

/** A family that is used, and replayed after a wait. */
const replayedAfter = (name: string, wait: Step, of: typeof get = get): Step[] => [
  of(name),
  refresh(name, `${name} refreshed`),
  wait,
  replay(name),
];

const last = (of: typeof get = get): Step[] => [of('last'), refresh('last', 'end')];

const SINGLE_USE_PARTS: readonly Script[] = [
  part('soon', 'a minute and an hour after its use, and once its access_token expired', [
    ...replayedAfter('minute', A_MINUTE),
    ...replayedAfter('hour', afterMs(61 * MINUTE_MS)),
    ...replayedAfter('expired', afterEnd('expired')),
    ...replayedAfter('all expired', afterEnd('all expired refreshed')),
    ...last(),
  ]),
  part('late', 'a day to three years after its use', [
    ...replayedAfter('day', afterMs(DAY_MS + 5 * MINUTE_MS)),
    ...replayedAfter('month', afterMs(40 * DAY_MS)),
    ...replayedAfter('year', afterMs(400 * DAY_MS)),
    ...replayedAfter('years', afterMs(1_100 * DAY_MS)),
    ...last(),
  ]),
  part('refreshed', 'of a refreshed token, and naming a scope', [
    ...chain('a', 'b', 'c'),
    replay('b'),
    ...chain('d', 'e'),
    replay('d', { scope: 'public' }),
    ...chain('f', 'g'),
    replay('f', { scope: WIDE_SCOPE }),
    NEXT_DAY,
    ...chain('h', 'i', 'j', 'k'),
    replay('j'),
    ...last(),
  ]),
  part('successors', 'once its successors were used', [
    ...chain('a', 'b'),
    get('c'),
    ...use('b'),
    replay('a'),
    refresh('c', 'd'),
    refresh('d', 'e'),
    replay('c'),
    ...chain('f', 'g', 'h', 'i'),
    replay('f'),
    ...last(),
  ]),
  part('again', 'in the same request, three times, and used late', [
    ...chain('a', 'b'),
    replay('a', { same: true }),
    ...chain('c', 'd'),
    replay('c'),
    replay('c'),
    replay('c'),
    get('e'),
    afterEnd('e'),
    refresh('e', 'f'),
    replay('e'),
    ...last(),
  ]),
  part('forgotten', 'six refreshes later', [
    get('token 0'),
    ...Array.from({ length: 7 }, (_, at) => refresh(`token ${at}`, `token ${at + 1}`)),
    replay('token 0'),
    ...last(),
  ]),
  part('user', 'user token', [
    ...userChain('a', 'b'),
    replay('a'),
    ...userChain('c', 'd', 'e'),
    replay('d'),
    ...replayedAfter('minute', A_MINUTE, user),
    ...last(user),
  ]),
];

/** Replays to a metered target, the most conclusive first; none waits. */
const SINGLE_USE_FURTHER: readonly Script[] = [
  part('user', 'user token', [user('a'), refresh('a', 'b'), replay('a'), ...last(user)]),
  part('scope', 'naming scope public', [
    get('a'),
    refresh('a', 'b'),
    replay('a', { scope: 'public' }),
    ...last(),
  ]),
];

export const singleUse: Scripts = {
  rules: ['lifecycle/refresh-single-use'],
  check: { refusedAs: 'refresh-token-invalid', priority: { rank: 1 } },
  free: [SINGLE_USE, ...SINGLE_USE_PARTS],
  metered: [SINGLE_USE, ...SINGLE_USE_FURTHER],
};

/** Refreshes sent at once: with those before them no more than the allowance. */
const AT_ONCE = 8;
const AT_ONCE_METERED = 6;
/** The same with two lineages that share the allowance. */
const AT_ONCE_OF_EACH = 3;

const manyOf = (facts: Facts): number => {
  if (!facts.metered) return AT_ONCE;
  return isRoomy(facts) ? AT_ONCE_OF_EACH : AT_ONCE_METERED;
};

/** Sends one refresh_token many times at once. */
const race = (many: number, more: More & { readonly refreshes?: 1 } = {}): Step[] => {
  const { refreshes, who, ...of } = more;
  const name = `token${who === undefined ? '' : ` of ${who}`}`;
  const raced = refreshes === undefined ? name : `${name}, refreshed`;
  return [
    get(name, { who, ...of }),
    ...(refreshes === undefined ? [] : [refresh(name, raced)]),
    { atOnce: Array.from({ length: many }, (_, at) => refresh(raced, `answer ${at + 1}`)) },
  ];
};

/** Which requests meet at the target is a matter of chance. */
const rounds = (many: number, count: number): Step[] =>
  Array.from({ length: count }, (_, at) => race(many, { who: `partner ${at + 1}` })).flat();

const CONCURRENT_USER = part('user', "a user's token", (facts) =>
  race(manyOf(facts), { of: 'user' }),
);

export const concurrent: Scripts = {
  rules: ['lifecycle/refresh-single-use-concurrent'],
  check: { priority: { rank: 4 } },
  metered: [{ steps: (facts) => race(manyOf(facts)) }, CONCURRENT_USER],
  free: [
    { steps: rounds(AT_ONCE, 2) },
    part('often', 'in further rounds', rounds(AT_ONCE, 4)),
    part('second', 'a refreshed token', race(AT_ONCE, { refreshes: 1 })),
    CONCURRENT_USER,
  ],
};
