import { placeOn } from '../../contract/check.ts';
import { DAY_MS, HOUR_MS, MIDNIGHT_ZONES, MINUTE_MS } from '../days.ts';
import { part, type Script, type Scripts } from '../script/script-check.ts';
import {
  chain,
  get,
  old,
  oldInShapes,
  refresh,
  type Step,
  use,
  useInShapes,
  user,
} from '../script/steps.ts';
import {
  afterEnd,
  afterMs,
  beforeEnd,
  beforeMidnight,
  NEXT_DAY,
  partOfLife,
} from '../script/waits.ts';
import { WIDE_SCOPE } from './lineage.ts';

const UNTIL_EXPIRY = 'lifecycle/access-token-valid-until-expiry';
const EXPIRES = 'lifecycle/access-token-expires';
const REPLACED = 'lifecycle/expired-replaced-by-refresh';

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

const LIFE: Script = {
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
const LIFE_METERED: Script = {
  check: { places: [placeOn('estimate')] },
  steps: [
    { lend: 'token' },
    ...watched('token'),
    // A refusal proves something only in the further part, which has requests to compare with.
    refresh('token', 'refreshed', { expects: 'either' }),
    ...use('refreshed'),
  ],
};

const LIFE_FURTHER: readonly Script[] = [
  {
    ...part('compared', 'compared with other tokens', [
      get('token'),
      ...watched('token'),
      ...replaced('token'),
      ...chain('other', 'end'),
      ...use('end'),
    ]),
    // After all other parts: it reserves more than they do.
    check: { priority: { stage: 'further', rank: 9 } },
    // A refused one is sent again.
    spare: { refresh: 1 },
  },
];

/** Uses a token several times, spread over its life. */
const useOften = (name: string, times: number): Step[] => [
  ...use(name),
  ...Array.from({ length: times - 1 }, (_, at) => at + 1).flatMap((number): Step[] => [
    partOfLife(name, number / times),
    ...use(name),
  ]),
  ...ended(name),
];

/** A further script in which no expired token is refreshed. */
const lives = (...of: Parameters<typeof part>): Script => ({
  ...part(...of),
  rules: [UNTIL_EXPIRY, EXPIRES],
});

const LIFE_PARTS: readonly Script[] = [
  part('kinds', 'tokens of every origin', [
    get('plain'),
    get('renewed'),
    get('unused'),
    get('wide', { scope: WIDE_SCOPE }),
    ...chain('a', 'refreshed'),
    ...chain('b', 'c', 'refreshed twice'),
    ...use('plain', 'wide', 'refreshed', 'refreshed twice'),
    partOfLife('renewed', 2 / 5),
    get('newer'),
    partOfLife('renewed', 1 / 2),
    refresh('renewed', 'its successor'),
    beforeEnd('plain'),
    ...use('plain', 'wide', 'refreshed', 'refreshed twice'),
    afterEnd('refreshed twice'),
    ...old('plain', 'renewed', 'unused', 'wide', 'refreshed', 'refreshed twice'),
    // Issued at half the life of the token that it replaced, so it outlives that one.
    ...use('its successor'),
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
  ]),
  part('refreshed', 'a refreshed token, in each shape', [
    ...chain('first', 'token'),
    useInShapes('token'),
    beforeEnd('token'),
    useInShapes('token'),
    afterEnd('token'),
    oldInShapes('token'),
    ...old('token'),
    refresh('token', 'end'),
    useInShapes('end'),
  ]),
  part('user', "a user's tokens", [
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
  ]),
  lives('user-platform', "a user's token, beside newer platform tokens", [
    user('token'),
    ...use('token'),
    get('platform'),
    ...use('token'),
    refresh('platform', 'refreshed'),
    ...use('token', 'refreshed'),
  ]),
  lives('user-others', "a user's tokens of several scopes, and never used", [
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
  ]),
  lives('used', 'a token that is used all its life', [
    get('token'),
    ...useOften('token', 24),
    afterMs(30 * DAY_MS),
    ...old('token'),
    get('last'),
    ...use('last'),
  ]),
  part('row', 'refreshed time and again', [
    get('1'),
    ...Array.from({ length: 9 }, (_, at) => [
      afterEnd(`${at + 1}`),
      refresh(`${at + 1}`, `${at + 2}`),
    ]).flat(),
    ...use('10'),
    ...chain('other', 'end'),
  ]),
  ...MIDNIGHT_ZONES.map((zone) =>
    lives(`midnight-${zone}`, `a token that lives across midnight in UTC+${zone}`, [
      beforeMidnight(zone, HOUR_MS / 3),
      get('token'),
      ...watched('token'),
      afterMs(HOUR_MS),
      ...old('token'),
      get('last'),
      ...use('last'),
    ]),
  ),
  {
    ...part('refusals', 'after token requests that were refused', [
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
    ]),
    rules: [UNTIL_EXPIRY],
  },
];

export const life: Scripts = {
  rules: [UNTIL_EXPIRY, EXPIRES, REPLACED],
  // Its requests are in vain where tokens live longer than a run.
  check: { refusedAs: 'access-token-expired', priority: { rank: 9 } },
  free: [LIFE, ...LIFE_PARTS],
  metered: [LIFE_METERED, ...LIFE_FURTHER],
};
