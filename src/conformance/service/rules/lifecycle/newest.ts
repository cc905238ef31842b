import { part, type Script, type Scripts } from '../script/script-check.ts';
import {
  type Get,
  old,
  oldInShapes,
  refresh,
  type Step,
  use,
  useInShapes,
  user,
} from '../script/steps.ts';
import { A_MINUTE, partOfLife } from '../script/waits.ts';
import { WIDE_SCOPE } from './lineage.ts';

const NEWEST_ONLY: Script = {
  steps: (facts) => [
    user('first'),
    ...use('first'),
    user('second'),
    ...(facts.metered ? [oldInShapes('first')] : old('first')),
    ...use('second'),
  ],
};

/** A user's token that is superseded: it is refused, and the newest one accepted. */
const superseded = (newer: Get, ...older: readonly string[]): Step[] => [
  newer,
  ...old(...older),
  ...use(`${newer.get}`),
];

/** The same, with the newest used before the older ones are tried. */
const supersededUsed = (newer: Get, ...older: readonly string[]): Step[] => [
  newer,
  ...use(`${newer.get}`),
  ...old(...older),
  ...use(`${newer.get}`),
];

const BY_REFRESH: Script = part('refresh', 'by its refresh', [
  user('first'),
  ...use('first'),
  refresh('first', 'second'),
  oldInShapes('first'),
  ...use('second'),
]);

const NEWEST_ONLY_FURTHER: readonly Script[] = [
  BY_REFRESH,
  part('wider', 'by one of more scopes', [
    user('first'),
    ...use('first'),
    ...superseded(user('wider', { scope: WIDE_SCOPE }), 'first'),
  ]),
];

/** Tries an older token a minute later, and late in its life. */
const triedLater = (older: string, newest: string): Step[] => [
  A_MINUTE,
  ...old(older),
  ...use(newest),
  partOfLife(older, 2 / 3),
  ...old(older),
  ...use(newest),
];

const NEWEST_ONLY_PARTS: readonly Script[] = [
  part('shapes', 'by a code', [
    user('first'),
    useInShapes('first'),
    user('second'),
    oldInShapes('first'),
    ...use('second'),
  ]),
  BY_REFRESH,
  part('refreshes', 'by refreshes and codes, once the newest is used', [
    user('a'),
    ...use('a'),
    ...supersededUsed(refresh('a', 'b'), 'a'),
    ...superseded(refresh('b', 'c'), 'b'),
    ...superseded(user('d'), 'c'),
    ...supersededUsed(user('e'), 'd'),
  ]),
  part('unused', 'never used', [
    user('a'),
    ...superseded(user('b'), 'a'),
    user('c'),
    ...superseded(refresh('c', 'd'), 'c'),
  ]),
  part('scopes', 'refreshed, and of other scopes', [
    user('first'),
    refresh('first', 'refreshed'),
    ...use('refreshed'),
    ...superseded(user('wider', { scope: WIDE_SCOPE }), 'refreshed'),
    ...superseded(user('narrower'), 'wider'),
  ]),
  part('several', 'by two newer ones', [
    user('a'),
    ...use('a'),
    user('b'),
    ...superseded(user('c'), 'a', 'b'),
    refresh('c', 'd'),
    ...superseded(refresh('d', 'e'), 'c', 'd'),
    user('f'),
    ...superseded(refresh('f', 'g'), 'e', 'f'),
  ]),
  part('users', "by a code, and another user's token in between", [
    user('a'),
    ...use('a'),
    user("another user's", { user: 'user-2' }),
    ...superseded(user('b'), 'a'),
  ]),
  part('first-refreshed', 'by a code, and that by the refresh of the first', [
    user('first'),
    ...use('first'),
    user('second'),
    // Whether a superseded token may be refreshed is left open.
    refresh('first', 'third', { expects: 'either' }),
    ...old('first'),
    { use: 'third', expects: 'either' },
    { use: 'second', expects: 'either' },
  ]),
  part('later', 'by a code, a minute before and long before', [
    user('a'),
    ...use('a'),
    user('b'),
    ...triedLater('a', 'b'),
  ]),
  part('refresh-later', 'by its refresh, a minute before and long before', [
    user('a'),
    ...use('a'),
    refresh('a', 'b'),
    ...triedLater('a', 'b'),
  ]),
  part('at-once', 'requested at once', [
    user('first'),
    { atOnce: [user('one'), user('other')] },
    { use: 'one', expects: 'either' },
    { use: 'other', expects: 'either' },
    ...superseded(user('last'), 'first'),
  ]),
];

export const newestOnly: Scripts = {
  rules: ['lifecycle/user-token-newest-only'],
  check: { refusedAs: 'access-token-invalid', priority: { rank: 2 } },
  free: [NEWEST_ONLY, ...NEWEST_ONLY_PARTS],
  metered: [NEWEST_ONLY, ...NEWEST_ONLY_FURTHER],
};
