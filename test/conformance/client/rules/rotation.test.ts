import { describe, expect, it } from 'vitest';
import {
  estimate,
  expectJudgement,
  judge,
  type RuleCase,
  refresh,
  tokenRequest,
  userEstimate,
  userToken,
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
    [tokenRequest('a'), refresh('a', 'b', { at: 1000 }), refresh('a', 'c', { at: 2000 })],
    /newest one came/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

it('judges the refresh_tokens of several platform tokens line by line', () => {
  const traffic = [
    tokenRequest('a'),
    tokenRequest('b', { at: 1000 }),
    refresh('a', 'c', { at: 2000 }),
    refresh('b', 'd', { at: 3000 }),
  ];
  expect(judge('client/refresh-newest', traffic).got).toEqual([]);
});

it('expects the newest of all user tokens', () => {
  const traffic = [userToken('a'), userToken('b', { at: 1000 }), refresh('a', 'c', { at: 2000 })];
  expect(judge('client/refresh-newest', traffic).got).toHaveLength(1);
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

describe('a use of the older user token just after the newer one came', () => {
  const RULE = 'client/user-token-newest';
  const alone = { overlaps: false };
  const twice = [
    userToken('a', alone),
    refresh('a', 'b', { at: 1000, ...alone }),
    userEstimate('a', { at: 1010, ...alone }),
    refresh('b', 'c', { at: 2000, ...alone }),
    userEstimate('b', { at: 2010, ...alone }),
  ];

  it('is by chance once, and a mistake if it happens again', () => {
    expect(judge(RULE, twice.slice(0, 4)).got).toEqual([]);
    expect(judge(RULE, twice).got).toHaveLength(2);
  });

  it('is right where a client does not wait for answers', () => {
    const meanwhile = userEstimate('a', { at: 900, overlaps: true });
    expect(judge(RULE, [...twice, meanwhile]).got).toEqual([]);
    const muchLater = userEstimate('b', { at: 2300, ...alone });
    expect(judge(RULE, [...twice, meanwhile, muchLater]).got).toHaveLength(1);
  });

  it('is right in a queue before one connection', () => {
    const refused = [
      userToken('a', alone),
      userEstimate('a', { at: 100, ...alone }),
      userToken('z', { at: 450, sender: 'elsewhere' }),
      userEstimate('a', { at: 500, status: 401, ...alone }),
      userEstimate('a', { at: 507, status: 401, ...alone }),
    ];
    const queued = userEstimate('a', { at: 107, ...alone });
    expect(judge(RULE, refused).got).toHaveLength(1);
    expect(judge(RULE, [...refused, queued]).got).toEqual([]);
  });
});
