import { describe, expect, it } from 'vitest';
import {
  estimate,
  expectJudgement,
  judge,
  outcomeOf,
  type RuleCase,
  refresh,
  tokenRequest,
  tokens,
  userEstimate,
  userToken,
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

describe('client/token-reused', () => {
  const RULE = 'client/token-reused';
  /** A token each 30 s, used once each, of 7200 s unless told. */
  const each = (count: number, lifeS = 7200, everyMs = 30_000) =>
    Array.from({ length: count }, (_, n) => [
      tokenRequest(`t${n}`, { at: n * everyMs }, lifeS),
      estimate(`t${n}`, { at: n * everyMs + 1000 }),
    ]).flat();

  it('names each token that is left unused, and the time that it had left', () => {
    const { violations, judged } = outcomeOf(RULE, each(3));
    expect(violations).toEqual([
      {
        exchange: 'x3',
        related: ['x1'],
        expected: 'the valid token is reused',
        got: 'another token is requested with 7170 s left of the one from x1, which is not used again',
      },
      {
        exchange: 'x5',
        related: ['x3'],
        expected: 'the valid token is reused',
        got: 'another token is requested with 7170 s left of the one from x3, which is not used again',
      },
    ]);
    expect(judged).toEqual([]);
  });

  it('tolerates one', () => {
    expect(judge(RULE, each(2))).toEqual({
      got: [],
      judged: 0,
      missing: 'each token was used once: a client with up to 10 in turn uses them again later',
    });
  });

  it('is judged by estimates with a token that has two', () => {
    const traffic = [
      tokenRequest('a'),
      estimate('a', { at: 100 }),
      estimate('a', { at: 200 }),
      estimate('b', { at: 300 }),
      ...[400, 500].map((at) => estimate('b', { at, headers: { authorization: undefined } })),
    ];
    expect(outcomeOf(RULE, traffic).judged).toEqual(['x2', 'x3']);
  });

  it.each([
    ['of two minutes', 3, 120, 30_000, 0],
    ['of more than two minutes', 3, 121, 30_000, 2],
    ['of 20 minutes with ten left', 3, 1200, 600_100, 0],
    ['of 20 minutes with exactly ten left', 3, 1200, 600_005, 2],
    ['of 20 minutes with more than ten left', 3, 1200, 599_000, 2],
    ['of 10 minutes in their second half', 3, 600, 300_100, 0],
    ['of 10 minutes in their first half', 3, 600, 299_000, 2],
  ])('judges tokens %s', (_case, count, lifeS, everyMs, violations) => {
    expect(judge(RULE, each(count, lifeS, everyMs)).got).toHaveLength(violations);
  });

  it('takes the use of the older token for a pool, in which no token is abandoned', () => {
    const traffic = [...each(3), estimate('t0', { at: 90_000 })];
    expect(judge(RULE, traffic).got).toEqual([]);
    const early = [...each(3), estimate('t0', { at: 20_000 })];
    expect(judge(RULE, early).got).toHaveLength(2);
  });

  it('takes tokens for those of a pool up to its size', () => {
    const got = (poolSize: number): number =>
      outcomeOf(RULE, each(4), null, true, poolSize).violations.length;
    expect([0, 1, 2, 3, 4].map(got)).toEqual([3, 3, 2, 0, 0]);
    const users = Array.from({ length: 3 }, (_, n) => [
      userToken(`u${n}`, { at: n * 30_000 }),
      userEstimate(`u${n}`, { at: n * 30_000 + 1000 }),
    ]).flat();
    expect(outcomeOf(RULE, users, null, true, 9).violations).toHaveLength(2);
  });

  it('counts neither refreshed tokens nor those of users as new ones of a pool', () => {
    const got = (...more: ReturnType<typeof each>): number =>
      outcomeOf(RULE, [...each(4), ...more], null, true, 3).violations.length;
    expect(got(refresh('t0', 't0b', { at: 500 }))).toBe(0);
    expect(got(userToken('u', { at: -100 }))).toBe(0);
    expect(got(tokenRequest('p', { at: 500 }))).toBe(2);
  });

  it('takes the use of an earlier token as the next one is requested for a later use', () => {
    const traffic = [...each(3), estimate('t0', { at: 30_000 }), estimate('t1', { at: 60_000 })];
    expect(judge(RULE, traffic).got).toEqual([]);
  });

  it('takes tokens that come in the same millisecond for those of a pool', () => {
    const traffic = [
      ...['a', 'b'].map((token) => tokenRequest(token)),
      ...['c', 'd'].map((token) => tokenRequest(token, { at: 1000 })),
      ...['a', 'b'].map((token) => estimate(token, { at: 500 })),
      ...['c', 'd', 'a'].map((token) => estimate(token, { at: 2000 })),
    ];
    expect(judge(RULE, traffic).got).toEqual([]);
  });

  it('takes no use of another kind of token for that of a pool', () => {
    const user = [userToken('u', { at: -100 }), userEstimate('u', { at: 90_000 })];
    expect(judge(RULE, [...each(3), ...user]).got).toHaveLength(2);
    const refreshes = [1, 2].flatMap((n) => [
      refresh(`r${n - 1}`, `r${n}`, { at: n * 60 }),
      estimate(`r${n}`, { at: n * 60 + 20 }),
    ]);
    const pool = [tokenRequest('p', { at: -200 }), tokenRequest('r0', { at: -100 }), ...refreshes];
    expect(judge(RULE, [...pool, estimate('p', { at: 900 })]).got).toHaveLength(2);
  });

  it('tolerates requests for tokens that no estimate used', () => {
    expect(judge(RULE, tokens(4)).got).toEqual([]);
    const unanswered = tokens(4, (n) => ({ at: n * 1000, took: n === 0 ? 5 : null }));
    expect(judge(RULE, unanswered).got).toEqual([]);
    expect(judge(RULE, [...tokens(3), estimate('t2', { at: 9000 })]).got).toEqual([]);
  });

  it('judges a request for a needless token even if it fails', () => {
    const failed = { status: 500, answer: {} };
    const traffic = [
      tokenRequest('a'),
      estimate('a', { at: 500 }),
      tokenRequest('', { at: 1000, ...failed }),
      tokenRequest('b', { at: 2000 }),
      estimate('b', { at: 3000 }),
      tokenRequest('', { at: 4000, ...failed }),
      tokenRequest('c', { at: 5000 }),
      estimate('c', { at: 6000 }),
    ];
    const { violations } = outcomeOf(RULE, traffic);
    expect(violations.map(({ exchange }) => exchange)).toEqual(['x3', 'x6']);
  });
});

describe('client/expiry-respected', () => {
  const RULE = 'client/expiry-respected';
  const token = tokenRequest('a', {}, 2);
  const at = (ms: number) => estimate('a', { at: ms });

  /** The lateness of each violation, marked if a machine that was short of time may be the cause. */
  const latenessOf = (traffic: Parameters<typeof outcomeOf>[1]): string[] =>
    outcomeOf(RULE, traffic).violations.map(
      ({ got, mayBeChance }) => `${/\d+ ms/.exec(got)?.[0]}${mayBeChance ? '?' : ''}`,
    );

  it.each([
    ['within the grace', [2255], []],
    ['once', [2256], ['251 ms?']],
    ['once, by the longest stall', [3505], ['1500 ms?']],
    ['once, by more', [3506], ['1501 ms']],
    ['twice', [2256, 2300], ['251 ms?', '295 ms?']],
    ['once, after one within the grace', [2255, 2300], ['295 ms?']],
  ])('judges estimates that are late %s', (_case, times, late) => {
    expect(latenessOf([token, ...times.map(at)])).toEqual(late);
  });

  it.each([
    ['by refresh', refresh('a', 'b', { at: 1900 })],
    ['by a new one', tokenRequest('b', { at: 1900 })],
  ])('takes nothing for chance once the client has the next token %s', (_case, next) => {
    expect(latenessOf([token, next, at(2609)])).toEqual(['604 ms']);
    expect(latenessOf([token, at(2609)])).toEqual(['604 ms?']);
  });

  it('takes the next token of a pool for no successor', () => {
    const traffic = [token, tokenRequest('b', { at: 900 }), at(2609)];
    const { violations } = outcomeOf(RULE, traffic, null, true, 2);
    expect(violations).toMatchObject([{ mayBeChance: true }]);
  });

  it('allows for the time that a request waited to be noted', () => {
    const judgedWith = (delayMs: number) =>
      latenessOf([token, estimate('a', { at: 2700, delayMs })]);
    expect(judgedWith(444)).toHaveLength(1);
    expect(judgedWith(445)).toEqual([]);
  });

  it('names the token and the lateness', () => {
    expect(outcomeOf(RULE, [token, at(3600)]).violations).toEqual([
      {
        exchange: 'x2',
        related: ['x1'],
        expected: 'no estimate request with the token from x1 after its 2 s',
        got: 'an estimate request 1595 ms after they had elapsed',
      },
    ]);
  });

  it('is judged by tokens that ended before the last estimate', () => {
    const judged = (last: number): readonly string[] =>
      outcomeOf(RULE, [token, tokenRequest('b'), estimate('b', { at: last })]).judged;
    expect(judged(2255)).toEqual([]);
    expect(judged(2256)).toEqual(['x1']);
    expect(judge(RULE, [token])).toEqual({
      got: [],
      judged: 0,
      missing: 'no estimate was requested after a token had expired',
    });
  });

  it('knows no end of a token that the client did not receive', () => {
    expect(
      judge(RULE, [token, estimate('x', { at: 9000 }), estimate('x', { at: 9100 })]).got,
    ).toEqual([]);
  });
});

describe('client/expired-refreshed', () => {
  const RULE = 'client/expired-refreshed';
  const short = tokenRequest('a', {}, 2);
  const long = tokenRequest('a', {}, 7200);
  const DUE = 7200_000 - 600_000 + 5;
  const fresh = (at: number) => tokenRequest('b', { at }, 2);

  it.each([
    ['a token of two seconds, soon after', short, 254, 0],
    ['a token of two seconds, later', short, 255, 1],
    ['a token of two minutes, soon after', tokenRequest('a', {}, 120), 254, 0],
    ['a token of two hours, more than ten minutes before its end', long, DUE - 1, 0],
    ['a token of two hours, ten minutes before its end', long, DUE, 1],
  ])('judges the replacement of %s', (_case, token, at, judged) => {
    const outcome = judge(RULE, [token, tokenRequest('b', { at, overlaps: false }, 2)]);
    expect(outcome).toMatchObject({ judged, got: { length: judged } });
  });

  it('names the request, and the token that was left', () => {
    expect(outcomeOf(RULE, [short, fresh(1000)])).toMatchObject({
      violations: [
        {
          exchange: 'x2',
          related: ['x1'],
          expected: 'an expired token is replaced through its refresh_token',
          got: 'a new platform token is requested, the refresh_token from x1 is left unused',
        },
      ],
      judged: ['x2'],
    });
    expect(judge(RULE, [short])).toEqual({
      got: [],
      judged: 0,
      missing: 'no expired token was replaced',
    });
  });

  it('needs a refresh_token to refresh', () => {
    const answer = { access_token: 'access-a', expires_in_second: 2 };
    const traffic = [tokenRequest('a', { answer }), fresh(1000)];
    expect(judge(RULE, traffic)).toMatchObject({ got: [], judged: 1 });
  });

  it('excuses a new token after an estimate that failed, until the token ended', () => {
    const failed = estimate('a', { at: 900, status: 401 });
    expect(judge(RULE, [short, failed, fresh(1000)])).toMatchObject({ got: [], judged: 0 });
    expect(judge(RULE, [short, failed, fresh(2004)])).toMatchObject({ got: [], judged: 0 });
    expect(judge(RULE, [short, failed, fresh(2005)]).got).toHaveLength(1);
  });

  it('takes a new token for another one while the first is still used', () => {
    const used = estimate('a', { at: 1100 });
    expect(judge(RULE, [short, fresh(1000), used])).toMatchObject({ got: [], judged: 0 });
    for (const at of [900, 1000]) {
      expect(judge(RULE, [short, estimate('a', { at }), fresh(1000)]).got).toHaveLength(1);
    }
  });

  it('takes the refresh of a token for its replacement, whatever else was requested before', () => {
    const traffic = [short, fresh(1000), refresh('a', 'c', { at: 1500 }, 2)];
    expect(outcomeOf(RULE, traffic)).toMatchObject({ violations: [], judged: ['x3'] });
  });

  it('takes a new token for that of a pool while an earlier line is still used', () => {
    const pool = [tokenRequest('p'), short, fresh(1000)];
    expect(judge(RULE, [...pool, estimate('p', { at: 1100 })]).got).toEqual([]);
    expect(judge(RULE, [...pool, estimate('p', { at: 900 })]).got).toHaveLength(1);
    expect(judge(RULE, [...pool, estimate('b', { at: 1100 })]).got).toHaveLength(1);
    expect(judge(RULE, [...pool, estimate('unknown', { at: 1100 })]).got).toHaveLength(1);
    const line = [
      tokenRequest('p', {}, 7200),
      tokenRequest('a', { at: 10 }, 2),
      fresh(1000),
      refresh('p', 'q', { at: 1200 }, 7200),
      estimate('q', { at: 1300 }),
    ];
    expect(judge(RULE, line).got).toEqual([]);
  });

  it('takes neither a line of a user nor one that began with the request for an earlier one', () => {
    const user = [userToken('u'), userEstimate('u', { at: 1100 })];
    expect(judge(RULE, [...user, short, fresh(1000)]).got).toHaveLength(1);
    // Two requests on their way at once: the one brings its token as the other arrives.
    const both = [tokenRequest('a', { at: 740 }, 2), tokenRequest('p', { at: 995 }), fresh(1000)];
    expect(judge(RULE, [...both, estimate('p', { at: 1100 })]).got).toHaveLength(1);
  });

  it('takes a new token for that of a pool up to its size', () => {
    const got = (poolSize: number): number =>
      outcomeOf(RULE, [short, fresh(1000)], null, true, poolSize).violations.length;
    expect([0, 1, 2].map(got)).toEqual([1, 1, 0]);
  });

  describe('after refreshes of another token that failed', () => {
    const other = tokenRequest('o', {}, 2);
    const failing = (at: number) => refresh('o', 'x', { at, status: 500 }, 2);

    it('excuses one new token for each', () => {
      const both = [other, tokenRequest('a', { at: 10 }, 2)];
      expect(judge(RULE, [...both, failing(1900), fresh(2300)]).got).toEqual([]);
      expect(
        judge(RULE, [...both, refresh('o', 'o2', { at: 1900 }, 2), fresh(2300)]).got,
      ).toHaveLength(1);
    });

    it('excuses one only for a refresh, and for one since the token came', () => {
      const both = [other, tokenRequest('a', { at: 10 }, 2)];
      const got = (...before: ReturnType<typeof tokens>): string[] =>
        judge(RULE, [...both, ...before, fresh(2300)]).got;
      expect(got(userToken('u', { at: 1900, status: 500 }))).toHaveLength(1);
      expect(got(failing(15))).toEqual([]);
      expect(got(failing(14))).toHaveLength(1);
      expect(got(failing(2400))).toHaveLength(1);
    });

    it('excuses no token of a user', () => {
      const users = [userToken('o', {}, 2), userToken('a', { at: 10 }, 2)];
      const next = userToken('b', { at: 2300 }, 2);
      expect(judge(RULE, [...users, failing(1900), next]).got).toHaveLength(1);
    });
  });
});
