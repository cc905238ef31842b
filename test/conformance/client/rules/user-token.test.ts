import { expect, it } from 'vitest';
import {
  expectJudgement,
  judge,
  type RuleCase,
  refresh,
  userEstimate,
  userToken,
} from '../client-traffic.ts';

it.each<RuleCase>([
  [
    'client/user-token-newest',
    [userToken('a'), refresh('a', 'b', { at: 1000 }), userEstimate('b', { at: 2000 })],
    [userToken('a'), refresh('a', 'b', { at: 1000 }), userEstimate('a', { at: 2000 })],
    /the one from/,
  ],
  [
    'client/user-token-newest',
    [
      userToken('a'),
      userToken('z', { at: 500, sender: 'elsewhere' }),
      userEstimate('a', { at: 1000, status: 401 }),
    ],
    [
      userToken('a'),
      userToken('z', { at: 500, sender: 'elsewhere' }),
      userEstimate('a', { at: 1000, status: 401 }),
      userEstimate('a', { at: 2000, status: 401 }),
    ],
    /issued elsewhere/,
  ],
  [
    'client/user-token-newest',
    // The second estimate was in flight when the first one was refused.
    [
      userToken('a'),
      userToken('z', { at: 500, sender: 'elsewhere' }),
      userEstimate('a', { at: 1000, took: 2, status: 401 }),
      userEstimate('a', { at: 1040, took: 2, status: 401 }),
    ],
    [
      userToken('a'),
      userToken('z', { at: 500, sender: 'elsewhere' }),
      userEstimate('a', { at: 1000, took: 2, status: 401 }),
      userEstimate('a', { at: 1300, took: 2, status: 401 }),
    ],
    /issued elsewhere/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

it("tolerates several users' tokens behind a proxy, where their users are unknown", () => {
  const traffic = [
    userToken('a'),
    userToken('b', { at: 1000, fields: { auth_code: 'code-of-another' } }),
    userEstimate('a', { at: 2000 }),
  ];
  const rule = 'client/user-token-newest';
  expect(judge(rule, traffic, null, false).got).toEqual([]);
  expect(judge(rule, traffic).got.join()).toMatch(/the one from x1/);
});
