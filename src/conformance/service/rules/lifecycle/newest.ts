import { WIDE_SCOPE } from './lineage.ts';
import {
  A_MINUTE,
  type Get,
  old,
  oldInShapes,
  refresh,
  type Script,
  type Step,
  use,
  useInShapes,
  user,
} from './steps.ts';

export const NEWEST_ONLY: Script = {
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
  ...use(newer.get),
];

/** The same, with the newest used before the older ones are tried. */
const supersededUsed = (newer: Get, ...older: readonly string[]): Step[] => [
  newer,
  ...use(newer.get),
  ...old(...older),
  ...use(newer.get),
];

const BY_REFRESH: Script = {
  name: 'refresh',
  circumstance: 'by its refresh',
  steps: [
    user('first'),
    ...use('first'),
    refresh('first', 'second'),
    oldInShapes('first'),
    ...use('second'),
  ],
};

export const NEWEST_ONLY_FURTHER: readonly Script[] = [
  BY_REFRESH,
  {
    name: 'wider',
    circumstance: 'by one of more scopes',
    steps: [
      user('first'),
      ...use('first'),
      ...superseded(user('wider', { scope: WIDE_SCOPE }), 'first'),
    ],
  },
];

/** Tries an older token a minute later, and late in its life. */
const triedLater = (older: string, newest: string): Step[] => [
  A_MINUTE,
  ...old(older),
  ...use(newest),
  { lifeOf: older, part: 2 / 3 },
  ...old(older),
  ...use(newest),
];

export const NEWEST_ONLY_PARTS: readonly Script[] = [
  {
    name: 'shapes',
    circumstance: 'by a code',
    steps: [
      user('first'),
      useInShapes('first'),
      user('second'),
      oldInShapes('first'),
      ...use('second'),
    ],
  },
  BY_REFRESH,
  {
    name: 'refreshes',
    circumstance: 'by refreshes and codes, once the newest is used',
    steps: [
      user('a'),
      ...use('a'),
      ...supersededUsed(refresh('a', 'b'), 'a'),
      ...superseded(refresh('b', 'c'), 'b'),
      ...superseded(user('d'), 'c'),
      ...supersededUsed(user('e'), 'd'),
    ],
  },
  {
    name: 'unused',
    circumstance: 'never used',
    steps: [
      user('a'),
      ...superseded(user('b'), 'a'),
      user('c'),
      ...superseded(refresh('c', 'd'), 'c'),
    ],
  },
  {
    name: 'scopes',
    circumstance: 'refreshed, and of other scopes',
    steps: [
      user('first'),
      refresh('first', 'refreshed'),
      ...use('refreshed'),
      ...superseded(user('wider', { scope: WIDE_SCOPE }), 'refreshed'),
      ...superseded(user('narrower'), 'wider'),
    ],
  },
  {
    name: 'several',
    circumstance: 'by two newer ones',
    steps: [
      user('a'),
      ...use('a'),
      user('b'),
      ...superseded(user('c'), 'a', 'b'),
      refresh('c', 'd'),
      ...superseded(refresh('d', 'e'), 'c', 'd'),
      user('f'),
      ...superseded(refresh('f', 'g'), 'e', 'f'),
    ],
  },
  {
    name: 'first-refreshed',
    circumstance: 'by a code, and that by the refresh of the first',
    steps: [
      user('first'),
      ...use('first'),
      user('second'),
      // Whether a superseded token may be refreshed is left open.
      refresh('first', 'third', { expects: 'either' }),
      ...old('first'),
      { use: 'third', expects: 'either' },
      { use: 'second', expects: 'either' },
    ],
  },
  {
    name: 'later',
    circumstance: 'by a code, a minute before and long before',
    steps: [user('a'), ...use('a'), user('b'), ...triedLater('a', 'b')],
  },
  {
    name: 'refresh-later',
    circumstance: 'by its refresh, a minute before and long before',
    steps: [user('a'), ...use('a'), refresh('a', 'b'), ...triedLater('a', 'b')],
  },
  {
    name: 'at-once',
    circumstance: 'requested at once',
    steps: [
      user('first'),
      { atOnce: [user('one'), user('other')] },
      { use: 'one', expects: 'either' },
      { use: 'other', expects: 'either' },
      ...superseded(user('last'), 'first'),
    ],
  },
];
