import { expect, it } from 'vitest';
import {
  estimate,
  expectJudgement,
  judge,
  type RuleCase,
  refresh,
  tokenRequest,
} from '../client-traffic.ts';

it.each<RuleCase>([
  [
    'client/expiry-respected',
    [tokenRequest('a', {}, 2), estimate('a', { at: 2200 }), estimate('b', { at: 3000 })],
    [tokenRequest('a', {}, 2), estimate('a', { at: 2300 })],
    /295 ms after/,
  ],
  [
    'client/expired-refreshed',
    [tokenRequest('a', {}, 2), refresh('a', 'b', { at: 1800 }, 2)],
    [tokenRequest('a', {}, 2), tokenRequest('b', { at: 1800 }, 2)],
    /left unused/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

it('tolerates a pool of short-lived tokens, each refreshed when it is due', () => {
  const traffic = [
    ...['a', 'b', 'c'].flatMap((token, n) => [
      tokenRequest(token, { at: n * 600 }, 2),
      estimate(token, { at: n * 600 + 100 }),
    ]),
    ...['a', 'b', 'c'].flatMap((token, n) => [
      refresh(token, `${token}2`, { at: 1900 + n * 600 }, 2),
      estimate(`${token}2`, { at: 2000 + n * 600 }),
    ]),
  ];
  expect(judge('client/expired-refreshed', traffic).got).toEqual([]);
});
