import { part, type Script, type Scripts } from '../script/script-check.ts';
import { type Get, old, oldInShapes, refresh, type Step, use, user } from '../script/steps.ts';
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
  BY_REFRESH,
  part('scopes', 'refreshed, and of other scopes', [
    user('first'),
    refresh('first', 'refreshed'),
    ...use('refreshed'),
    ...superseded(user('wider', { scope: WIDE_SCOPE }), 'refreshed'),
    ...superseded(user('narrower'), 'wider'),
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
];

export const newestOnly: Scripts = {
  rules: ['lifecycle/user-token-newest-only'],
  check: { refusedAs: 'access-token-invalid', priority: { rank: 2 } },
  free: [NEWEST_ONLY, ...NEWEST_ONLY_PARTS],
  metered: [NEWEST_ONLY, ...NEWEST_ONLY_FURTHER],
};
