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
    'client/refresh-single-use',
    [tokenRequest('a'), refresh('a', 'b', { at: 1000 }), refresh('b', 'c', { at: 2000 })],
    [
      tokenRequest('a'),
      refresh('a', 'b', { at: 1000, took: null }),
      refresh('a', 'c', { at: 2000 }),
    ],
    /second time.*lost/,
  ],
  [
    'client/refresh-newest',
    [tokenRequest('a'), refresh('a', 'b', { at: 1000 }), refresh('b', 'c', { at: 2000 })],
    [tokenRequest('a'), tokenRequest('b', { at: 1000 }), refresh('a', 'c', { at: 2000 })],
    /newest one came/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

it('tolerates the older of two refresh_tokens that are used side by side', () => {
  const traffic = [
    tokenRequest('a'),
    tokenRequest('b', { at: 1000 }),
    estimate('a', { at: 1500 }),
    refresh('a', 'c', { at: 2000 }),
  ];
  expect(judge('client/refresh-newest', traffic).got).toEqual([]);
});
