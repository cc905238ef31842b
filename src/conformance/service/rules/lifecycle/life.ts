import { MIDNIGHT_ZONES } from '../midnight.ts';
import { WIDE_SCOPE } from './lineage.ts';
import {
  afterEnd,
  afterMs,
  beforeEnd,
  chain,
  DAY_MS,
  get,
  HOUR_MS,
  MINUTE_MS,
  NEXT_DAY,
  old,
  oldInShapes,
  refresh,
  type Script,
  type Step,
  use,
  useInShapes,
  user,
} from './steps.ts';

export const UNTIL_EXPIRY = 'lifecycle/access-token-valid-until-expiry';
export const EXPIRES = 'lifecycle/access-token-expires';
export const REPLACED = 'lifecycle/expired-replaced-by-refresh';

/** Uses a token shortly before its end, and tries it after that. */
const ended = (name: string): Step[] => [
  beforeEnd(name),
  ...use(name),
  afterEnd(name),
  ...old(name),
];

/** The same with a use when it is new. */
const watched = (name: string): Step[] => [...use(name), ...ended(name)];

/** Refreshes an expired token, and uses the new one. */
const replaced = (name: string): Step[] => [
  refresh(name, `${name} refreshed`),
  ...use(`${name} refreshed`),
];

export const LIFE: Script = {
  steps: [
    get('token'),
    user("a user's token"),
    ...watched('token'),
    ...replaced('token'),
    afterEnd("a user's token"),
    ...replaced("a user's token"),
  ],
};

/** The same with a token of other checks, which leaves them all requests but one. */
export const LIFE_METERED: Script = {
  baseRequest: 'estimate',
  steps: [
    { lend: 'token' },
    ...watched('token'),
    // A refusal proves something only in the further part, which has requests to compare with.
    refresh('token', 'refreshed', { expects: 'either' }),
    ...use('refreshed'),
  ],
};

export const LIFE_FURTHER: readonly Script[] = [
  {
    name: 'compared',
    circumstance: 'compared with other tokens',
    // After all other parts: it reserves more than they do.
    rank: 9,
    // A refused one is sent again.
    spare: { refresh: 1 },
    steps: [
      get('token'),
      ...watched('token'),
      ...replaced('token'),
      ...chain('other', 'end'),
      ...use('end'),
    ],
  },
];

/** Uses a token several times, spread over its life. */
const useOften = (name: string, times: number): Step[] => [
  ...use(name),
  ...Array.from({ length: times - 1 }, (_, at) => at + 1).flatMap((number): Step[] => [
    { lifeOf: name, part: number / times },
    ...use(name),
  ]),
  ...ended(name),
];

export const LIFE_PARTS: readonly Script[] = [
  {
    name: 'kinds',
    circumstance: 'tokens of every origin',
    steps: [
      get('plain'),
      get('renewed'),
      get('unused'),
      get('wide', { scope: WIDE_SCOPE }),
      ...chain('a', 'refreshed'),
      ...chain('b', 'c', 'refreshed twice'),
      ...use('plain', 'wide', 'refreshed', 'refreshed twice'),
      { lifeOf: 'renewed', part: 1 / 2 },
      refresh('renewed', 'its successor'),
      get('newer'),
      beforeEnd('plain'),
      ...use('plain', 'wide', 'refreshed', 'refreshed twice'),
      afterEnd('refreshed twice'),
      ...old('plain', 'renewed', 'unused', 'wide', 'refreshed', 'refreshed twice'),
      refresh('refreshed', 'end 1'),
      ...use('end 1'),
      afterMs(5 * MINUTE_MS),
      ...old('renewed', 'wide', 'refreshed twice'),
      refresh('wide', 'end 2'),
      ...use('end 2'),
      refresh('refreshed twice', 'end 3'),
      ...use('end 3'),
      NEXT_DAY,
      ...old('unused', 'plain'),
      afterMs(30 * DAY_MS),
      ...old('plain'),
      get('last'),
      ...use('last'),
    ],
  },
  {
    name: 'refreshed',
    circumstance: 'a refreshed token, in each shape',
    steps: [
      ...chain('first', 'token'),
      useInShapes('token'),
      beforeEnd('token'),
      useInShapes('token'),
      afterEnd('token'),
      oldInShapes('token'),
      ...old('token'),
      refresh('token', 'end'),
      useInShapes('end'),
    ],
  },
  {
    name: 'user',
    circumstance: "a user's tokens",
    steps: [
      user('token'),
      useInShapes('token'),
      beforeEnd('token'),
      useInShapes('token'),
      afterEnd('token'),
      oldInShapes('token'),
      ...old('token'),
      refresh('token', 'refreshed'),
      useInShapes('refreshed'),
      ...ended('refreshed'),
      afterMs(5 * MINUTE_MS),
      ...old('refreshed'),
      refresh('refreshed', 'end'),
      ...use('end'),
    ],
  },
  {
    name: 'user-others',
    circumstance: "a user's tokens of several scopes, and never used",
    rules: [UNTIL_EXPIRY, EXPIRES],
    steps: [
      user('wide', { scope: WIDE_SCOPE }),
      ...watched('wide'),
      afterMs(HOUR_MS),
      ...old('wide'),
      user('unused'),
      afterEnd('unused'),
      ...old('unused'),
      NEXT_DAY,
      ...old('unused'),
      user('last'),
      ...use('last'),
    ],
  },
  {
    name: 'used',
    circumstance: 'a token that is used all its life',
    rules: [UNTIL_EXPIRY, EXPIRES],
    steps: [
      get('token'),
      ...useOften('token', 24),
      afterMs(30 * DAY_MS),
      ...old('token'),
      get('last'),
      ...use('last'),
    ],
  },
  {
    name: 'user-used',
    circumstance: "a user's token that is used all its life",
    steps: [user('token'), ...useOften('token', 8), refresh('token', 'end'), ...use('end')],
  },
  ...MIDNIGHT_ZONES.map(
    (zone): Script => ({
      name: `midnight-${zone}`,
      circumstance: `a token that lives across midnight in UTC+${zone}`,
      rules: [UNTIL_EXPIRY, EXPIRES],
      steps: [
        { beforeMidnightMs: HOUR_MS / 3, zone },
        get('token'),
        ...watched('token'),
        afterMs(HOUR_MS),
        ...old('token'),
        get('last'),
        ...use('last'),
      ],
    }),
  ),
  {
    name: 'refusals',
    circumstance: 'after token requests that were refused',
    rules: [UNTIL_EXPIRY],
    steps: [
      get('token'),
      user("a user's token"),
      ...use('token', "a user's token"),
      // Whether a refusal uses up its auth_code or refresh_token is left open.
      user('none', { expects: 'refused', wrong: 'signature' }),
      refresh('token', 'none', { expects: 'refused', wrong: 'signature' }),
      get('none', { expects: 'refused', wrong: 'signature' }),
      user('none', { expects: 'refused', wrong: 'time' }),
      user('none', { expects: 'refused', wrong: 'code' }),
      ...use('token', "a user's token"),
      beforeEnd('token'),
      ...use('token', "a user's token"),
    ],
  },
];
