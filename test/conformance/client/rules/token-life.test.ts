import { describe, expect, it } from 'vitest';
import {
  estimate,
  expectJudgement,
  judge,
  type RuleCase,
  refresh,
  tokenRequest,
  tokens,
} from '../client-traffic.ts';

it.each<RuleCase>([
  [
    'client/token-reused',
    [tokenRequest('a'), estimate('a', { at: 100 }), estimate('a', { at: 200 })],
    ['a', 'b', 'c'].flatMap((token, n) => [
      tokenRequest(token, { at: n * 1000 }),
      ...[100, 200, 300].map((later) => estimate(token, { at: n * 1000 + later })),
    ]),
    /719\d s left/,
  ],
  [
    'client/token-reused',
    // A pool: each of its tokens stays in use.
    [
      ...tokens(3),
      ...Array.from({ length: 12 }, (_, n) => estimate(`t${n % 3}`, { at: 3000 + n * 100 })),
    ],
    Array.from({ length: 4 }, (_, n) => [
      tokenRequest(`t${n}`, { at: n * 500 }),
      estimate(`t${n}`, { at: n * 500 + 100 }),
    ]).flat(),
    /not used again/,
  ],
  [
    'client/token-reused',
    // A pool that grows as it is used, and refreshes each token in its own time.
    [
      ...['a', 'b', 'c'].flatMap((token, n) => [
        tokenRequest(token, { at: n * 1_200_000 }),
        estimate(token, { at: n * 1_200_000 + 100 }),
      ]),
      ...['a', 'b', 'c'].map((token, n) => estimate(token, { at: 4_000_000 + n })),
      ...['a', 'b', 'c'].flatMap((token, n) => [
        refresh(token, `${token}2`, { at: 7_000_000 + n * 1_200_000 }),
        estimate(`${token}2`, { at: 7_000_000 + n * 1_200_000 + 100 }),
      ]),
    ],
    Array.from({ length: 3 }, (_, n) => [
      refresh(`r${n}`, `r${n + 1}`, { at: n * 60 }),
      estimate(`r${n + 1}`, { at: n * 60 + 20 }),
    ])
      .flat()
      .toSpliced(0, 0, tokenRequest('r0', { at: -100 })),
    /not used again/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

it('tolerates a token that a second worker requests', () => {
  const traffic = [tokenRequest('a'), tokenRequest('b', { at: 500 }), estimate('a', { at: 900 })];
  expect(judge('client/token-reused', traffic).got).toEqual([]);
});

it('tolerates a pool in which the turn of most tokens comes only once', () => {
  const pool = Array.from({ length: 5 }, (_, n) => [
    tokenRequest(`t${n}`, { at: n * 500 }),
    estimate(`t${n}`, { at: n * 500 + 100 }),
  ]).flat();
  expect(judge('client/token-reused', pool).got).toHaveLength(4);
  const traffic = [...pool, estimate('t0', { at: 3000 })];
  expect(judge('client/token-reused', traffic).got).toEqual([]);
});

it('tolerates a new token after a refused estimate', () => {
  const traffic = [1, 2, 3].flatMap((n) => [
    tokenRequest(`t${n}`, { at: n * 1000 }),
    estimate(`t${n}`, { at: n * 1000 + 500, status: 401 }),
  ]);
  expect(judge('client/token-reused', traffic).got).toEqual([]);
});

it.each<RuleCase>([
  [
    'client/expiry-respected',
    [tokenRequest('a', {}, 2), estimate('a', { at: 2200 }), estimate('b', { at: 3000 })],
    [tokenRequest('a', {}, 2), estimate('a', { at: 2300 }), estimate('a', { at: 2400 })],
    /295 ms after/,
  ],
  [
    'client/expiry-respected',
    // Once, by no more than a busy machine may hold up a client.
    [tokenRequest('a', {}, 2), estimate('a', { at: 3400 }), estimate('b', { at: 3900 })],
    [tokenRequest('a', {}, 2), estimate('a', { at: 3600 })],
    /1595 ms after/,
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

it('counts a refresh during which its client uses the old token', () => {
  const behind = [
    tokenRequest('a', {}, 2),
    refresh('a', 'b', { at: 1000, took: 100 }, 2),
    estimate('a', { at: 1001 }),
  ];
  expect(judge('client/expired-refreshed', behind)).toMatchObject({ got: [], judged: 1 });
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

describe('a pool of short-lived tokens', () => {
  const pool = ['a', 'b', 'c'].flatMap((token, n) => [
    tokenRequest(token, { at: n * 10 }, 2),
    estimate(token, { at: n * 10 + 5 }),
  ]);
  const replaced = (at: number) => [
    refresh('a', 'a2', { at, took: null, stimuli: ['lost-answer'] }, 2),
    tokenRequest('a3', { at: at + 100 }, 2),
  ];

  it('may replace a token whose refresh was lost by a new one', () => {
    const traffic = [...pool, ...replaced(2100), estimate('a3', { at: 2300 })];
    expect(judge('client/expired-refreshed', traffic).got).toEqual([]);
  });

  it('may not replace a second one for the same lost refresh', () => {
    const traffic = [...pool, ...replaced(2100), tokenRequest('c2', { at: 4300 }, 2)];
    expect(judge('client/expired-refreshed', traffic).got).toHaveLength(1);
  });
});
