import { part, type Script, type Scripts } from '../script/script-check.ts';
import { chain, get, refresh, use, user } from '../script/steps.ts';
import { A_MINUTE, BEFORE_MS, endOf } from '../script/waits.ts';
import { WIDE_SCOPE } from './lineage.ts';

const COEXIST: Script = {
  steps: [
    get('first'),
    ...use('first'),
    get('second'),
    ...use('second', 'first'),
    { useEarlier: true },
  ],
};

/** One less than a day's allowance: its last may be refused for another reason. */
const MANY = Array.from({ length: 9 }, (_, at) => `${at + 1} of 9`);
const SOME = ['9 of 9', '5 of 9', '1 of 9'] as const;

/** Tokens of several scopes, some of them twice. */
const SCOPES = [undefined, WIDE_SCOPE, 'public', 'public profile', WIDE_SCOPE, undefined].map(
  (scope, at) => [`of scope ${at + 1}`, scope] as const,
);

const COEXIST_PARTS: readonly Script[] = [
  part('many', `${MANY.length} tokens`, [
    ...MANY.flatMap((name, at) => [get(name), ...(at % 3 === 2 ? use(name) : [])]),
    ...use(...MANY.toReversed()),
    A_MINUTE,
    ...use(...SOME),
    endOf(MANY[0]!, -2 * BEFORE_MS),
    ...use(...SOME),
  ]),
  part('scopes', 'tokens of several scopes, and a refresh', [
    ...SCOPES.map(([name, scope]) => get(name, { scope })),
    ...SCOPES.toReversed().flatMap(([name]) => use(name)),
    refresh('of scope 1', 'its refresh'),
    ...use('its refresh', 'of scope 4'),
  ]),
  part('others', 'beside refreshes and user tokens', [
    get('first'),
    ...chain('other', 'refreshed'),
    ...use('refreshed', 'first'),
    user("a user's token"),
    ...use('refreshed', 'first'),
    refresh("a user's token", "a user's refreshed token"),
    get('third'),
    ...use('third', 'refreshed', 'first'),
  ]),
];

export const coexist: Scripts = {
  rules: ['lifecycle/platform-tokens-coexist'],
  check: { priority: { rank: 2 } },
  free: [COEXIST, ...COEXIST_PARTS],
  metered: [COEXIST],
};
