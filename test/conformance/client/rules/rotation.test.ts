import { describe, expect, it } from 'vitest';
import {
  estimate,
  expectJudgement,
  judge,
  outcomeOf,
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
      userEstimate('a', { at: 3000, status: 401 }),
    ],
    /again after 2 refusals, although a newer one was issued elsewhere/,
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
      userEstimate('a', { at: 1040, took: 2, status: 401 }),
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

describe('a user token that is used when a newer one is known', () => {
  const RULE = 'client/user-token-newest';
  const on = (connection: number) => ({ overlaps: false, connection });
  /** Violations by exchange, marked if chance may be the cause. */
  const lateIn = (traffic: Parameters<typeof outcomeOf>[1]): string[] =>
    outcomeOf(RULE, traffic).violations.map(
      ({ exchange, mayBeChance }) => `${exchange}${mayBeChance ? '?' : ''}`,
    );
  const refreshed = [userToken('a', on(1)), refresh('a', 'b', { at: 1000, ...on(1) })];
  const supersededElsewhere = [
    userToken('a', on(1)),
    userEstimate('a', { at: 100, ...on(1) }),
    userToken('z', { at: 450, sender: 'elsewhere' }),
    userEstimate('a', { at: 500, status: 401, ...on(1) }),
  ];

  it('is wrong on the connection that brought the newer one, however soon', () => {
    expect(lateIn([...refreshed, userEstimate('a', { at: 1010, ...on(1) })])).toEqual(['x3']);
  });

  it.each([
    ['kept connections', () => 1],
    ['a new connection for each request', (nth: number) => nth + 2],
  ])('is wrong a grace after two refusals, and unwise before, with %s', (_how, connectionOf) => {
    const uses = [510, 540, 700, 900].map((at, nth) =>
      userEstimate('a', { at, status: 401, ...on(connectionOf(nth)) }),
    );
    const { violations, warnings } = outcomeOf(RULE, [...supersededElsewhere, ...uses]);
    expect(violations.map(({ exchange }) => exchange)).toEqual(['x8']);
    expect(warnings?.map(({ exchange }) => exchange)).toEqual(['x5', 'x6', 'x7']);
  });

  it('may be used once more by each other connection that is open at once', () => {
    const workers = [1, 2, 3, 4].map((n) => userEstimate('a', { at: 200, took: 20, ...on(n) }));
    const uses = [600, 900, 1300, 1700, 2100, 2500].map((at, nth) =>
      userEstimate('a', { at, status: 401, ...on((nth % 4) + 1), overlaps: true }),
    );
    const traffic = [...supersededElsewhere.slice(0, 3), ...workers, ...uses];
    expect(lateIn(traffic)).toEqual(['x13']);
    expect(lateIn(traffic.slice(0, -1))).toEqual([]);
  });

  it('may be due to chance once, on another connection of a client with one at a time', () => {
    const once = [...refreshed, userEstimate('a', { at: 1010, ...on(2) })];
    expect(lateIn(once)).toEqual(['x3?']);
    expect(lateIn([...once, userEstimate('a', { at: 1400, ...on(3) })])).toEqual(['x3', 'x4']);
  });

  it('may be used once by each of several processes that share it', () => {
    // Each read the token from a file before it was superseded, and was held up.
    const three = [1, 2, 3].map((n) => userEstimate('a', { at: 200 + n, ...on(n) }));
    const heldUp = (...numbers: number[]) =>
      numbers.map((n, at) => userEstimate('a', { at: 900 + 400 * at, status: 401, ...on(n) }));
    const shared = [...supersededElsewhere, ...three];
    const newest = [1, 2, 3].map((n) => userEstimate('b', { at: 3000 + n, ...on(n) }));
    const next = refresh('a', 'b', { at: 600, ...on(1) });
    expect(lateIn([...shared, next, ...heldUp(2, 3), ...newest])).toEqual([]);
    expect(lateIn([...shared, next, ...heldUp(2, 3, 2), ...newest])).toHaveLength(1);
    expect(lateIn([...shared, next, ...heldUp(2, 1, 3), ...newest])).toEqual(['x10']);
  });

  it('is wrong a second time on one connection, even before the first was refused', () => {
    const two = [1, 2, 3].map((n) => userEstimate('a', { at: 200 + n, ...on(n) }));
    const late = [900, 901].map((at) =>
      userEstimate('a', { at, took: 500, status: 401, ...on(2), overlaps: true }),
    );
    const newest = [1, 2, 3].map((n) => userEstimate('b', { at: 3000 + n, ...on(n) }));
    const traffic = [...refreshed.slice(0, 1), ...two, refresh('a', 'b', { at: 500, ...on(1) })];
    expect(lateIn([...traffic, ...late, ...newest])).toHaveLength(2);
  });

  it('is right in a queue before one connection', () => {
    const refused = [...supersededElsewhere, userEstimate('a', { at: 507, status: 401, ...on(1) })];
    const queued = userEstimate('a', { at: 107, ...on(1) });
    const warned = (traffic: typeof refused) => outcomeOf(RULE, traffic).warnings?.length;
    expect(warned(refused)).toBe(1);
    expect(warned([...refused, queued])).toBe(0);
  });

  it('is right where a client does not wait for answers', () => {
    const meanwhile = userEstimate('a', { at: 900, ...on(2), overlaps: true });
    const soon = userEstimate('a', { at: 1010, ...on(2) });
    expect(lateIn([...refreshed, meanwhile, soon])).toEqual([]);
    const muchLater = [1300, 1310].map((at) => userEstimate('a', { at, ...on(2) }));
    expect(lateIn([...refreshed, meanwhile, ...muchLater])).toHaveLength(2);
  });

  it('is not refused for its age where a scenario refused it', () => {
    const failed = [
      ...supersededElsewhere.slice(0, 3),
      userEstimate('a', { at: 500, status: 500, stimuli: ['failure'], ...on(1) }),
      userEstimate('a', { at: 600, status: 401, ...on(1) }),
    ];
    expect(lateIn(failed)).toEqual([]);
    const again = userEstimate('a', { at: 700, status: 401, ...on(1) });
    expect(outcomeOf(RULE, [...failed, again]).warnings).toMatchObject([{ exchange: 'x6' }]);
  });
});

describe('client/refresh-single-use', () => {
  const RULE = 'client/refresh-single-use';

  it('names the first use, and whether its answer was lost', () => {
    const second = (took: number | null) =>
      outcomeOf(RULE, [
        tokenRequest('a'),
        refresh('a', 'b', { at: 1000, took }),
        refresh('a', 'c', { at: 2000 }),
      ]).violations;
    expect(second(5)).toMatchObject([{ exchange: 'x3', related: ['x2'] }]);
    expect(second(5)[0]?.got).toMatch(/ a second time, after x2$/);
    expect(second(null)[0]?.got).toMatch(/ a second time, after x2, whose response was lost$/);
  });

  it.each([202, 302, 400, 429, 500])('warns at most after a refusal with %i', (status) => {
    const { violations, warnings } = outcomeOf(RULE, [
      tokenRequest('a'),
      refresh('a', 'b', { at: 1000, status }),
      refresh('a', 'c', { at: 2000 }),
    ]);
    expect(violations).toEqual([]);
    expect(warnings).toMatchObject([{ exchange: 'x3', related: ['x2'] }]);
    expect(warnings?.[0]?.got).toMatch(
      new RegExp(`second time, after x2, .* refused with ${status}$`),
    );
  });

  it('fails where any earlier request may have used the token', () => {
    const judged = (...sent: Parameters<typeof refresh>[2][]) =>
      judge(RULE, [tokenRequest('a'), ...sent.map((twist) => refresh('a', 'b', twist))]).got;
    const refused = { at: 1000, status: 500 };
    expect(judged(refused, { at: 2000 }, { at: 3000 })).toHaveLength(1);
    expect(judged(refused, { at: 2000, took: null }, { at: 3000, status: 400 })).toHaveLength(1);
    expect(judged({ ...refused, took: null }, { at: 2000 })).toHaveLength(1);
    // At once: neither waits to be refused.
    expect(judged({ ...refused, took: 500 }, { at: 1100 })).toHaveLength(1);
    expect(judged({ at: 1000, answer: '{"access_' }, { at: 2000 })).toHaveLength(1);
  });

  it('is judged by refreshes', () => {
    const traffic = [
      tokenRequest('a'),
      refresh('a', 'b', { at: 1, fields: { refresh_token: '' } }),
      refresh('a', 'b', { at: 2, fields: { refresh_token: 7 } }),
    ];
    expect(judge(RULE, traffic)).toEqual({ got: [], judged: 0, missing: 'no refresh was sent' });
    expect(outcomeOf(RULE, [...traffic, refresh('a', 'b', { at: 3 })]).judged).toEqual(['x4']);
  });
});

describe('client/refresh-newest', () => {
  const RULE = 'client/refresh-newest';
  const sending = (refresh_token: string, at = 2000) =>
    refresh('?', 'z', { at, fields: { refresh_token } });

  it('names a text that is none, where the client can have no other', () => {
    const own = (sent: string) => [tokenRequest('a'), sending(sent)];
    expect(judge(RULE, own('access-a')).got).toEqual(['an access_token in its place']);
    expect(judge(RULE, own('other')).got).toEqual(['a text that it never received']);
    expect(judge(RULE, own('other'), null, false).got).toEqual([]);
    expect(judge(RULE, own('access-a'), null, false).got).toEqual([]);
  });

  it('leaves the token of a failed answer to another rule', () => {
    const failed = tokenRequest('a', { status: 500 });
    expect(judge(RULE, [failed, sending('refresh-a')]).got).toEqual([]);
    expect(judge(RULE, [failed, sending('other')]).got).toEqual(['a text that it never received']);
    const unread = tokenRequest('a', { took: null });
    expect(judge(RULE, [unread, sending('refresh-a')]).got).toEqual([
      'a text that it never received',
    ]);
  });

  it('compares the tokens of one partner only', () => {
    const partner = 'p-2';
    const traffic = [
      userToken('a'),
      userToken('b', { at: 1000, partner }),
      refresh('a', 'c', { at: 2000 }),
    ];
    expect(judge(RULE, traffic).got).toEqual([]);
  });

  it('compares the tokens of users with those of users only', () => {
    const traffic = [
      userToken('a'),
      tokenRequest('p', { at: 1000 }),
      refresh('a', 'b', { at: 2000 }),
    ];
    expect(judge(RULE, traffic).got).toEqual([]);
  });

  it('expects a token only of an answer that the client had', () => {
    const meanwhile = [
      userToken('a'),
      userToken('b', { at: 1000, took: 1500 }),
      refresh('a', 'c', { at: 2000 }),
    ];
    expect(judge(RULE, meanwhile).got).toEqual([]);
  });

  it('needs no refresh_token that the newest answer did not bring', () => {
    const answer = { access_token: 'access-b', expires_in_second: 7200 };
    const traffic = [
      userToken('a'),
      userToken('b', { at: 1000, answer }),
      refresh('a', 'c', { at: 2000 }),
    ];
    expect(judge(RULE, traffic).got).toEqual([]);
  });

  it('follows a line over several refreshes', () => {
    const traffic = [
      tokenRequest('a'),
      refresh('a', 'b', { at: 1000 }),
      refresh('b', 'c', { at: 2000 }),
      refresh('a', 'd', { at: 3000 }),
    ];
    const [got] = judge(RULE, traffic).got;
    expect(got).toMatch(/, from x1; the newest one came with x3$/);
  });
});

describe('client/user-token-newest', () => {
  const RULE = 'client/user-token-newest';

  it('needs a use after a newer one was issued', () => {
    expect(judge(RULE, [userToken('a'), userEstimate('a', { at: 100 })])).toEqual({
      got: [],
      judged: 0,
      missing: 'no estimate was requested after a newer user token was issued',
    });
    const platform = [
      tokenRequest('a'),
      tokenRequest('b', { at: 100 }),
      estimate('b', { at: 900 }),
    ];
    expect(judge(RULE, platform).judged).toBe(0);
  });

  it('names the newest and the one that was used', () => {
    const { violations } = outcomeOf(RULE, [
      userToken('a'),
      userToken('b', { at: 1000 }),
      userEstimate('a', { at: 2000 }),
    ]);
    expect(violations).toEqual([
      {
        exchange: 'x3',
        related: ['x2'],
        expected: 'the newest user token, from x2',
        got: 'the one from x1',
      },
    ]);
  });

  it('is judged by uses of all but the first, and not by tokens of the platform', () => {
    const traffic = [
      tokenRequest('p'),
      userToken('a', { at: 10 }),
      userEstimate('a', { at: 500 }),
      userToken('b', { at: 1000 }),
      userEstimate('b', { at: 2000 }),
      tokenRequest('q', { at: 3000 }),
      userEstimate('b', { at: 4000 }),
      estimate('x', { at: 5000 }),
    ];
    expect(outcomeOf(RULE, traffic)).toMatchObject({ violations: [], judged: ['x5', 'x7'] });
  });

  it("compares tokens of one partner's users only", () => {
    const partner = 'p-2';
    const traffic = [
      userToken('a'),
      userToken('b', { at: 1000, partner }),
      userEstimate('a', { at: 2000 }),
    ];
    expect(judge(RULE, traffic).got).toEqual([]);
  });

  it('follows refreshes where users are unknown', () => {
    const traffic = [
      userToken('a'),
      refresh('a', 'b', { at: 1000 }),
      userEstimate('a', { at: 2000 }),
    ];
    expect(judge(RULE, traffic, null, false).got).toEqual(['the one from x1']);
  });

  const elsewhere = [userToken('a'), userToken('z', { at: 500, sender: 'elsewhere' })];
  const used = (at: number, status: number, took: number | null = 5) =>
    userEstimate('a', { at, status, took });

  it('names a token that is used on, although it was refused', () => {
    const { violations, warnings, judged } = outcomeOf(RULE, [
      ...elsewhere,
      used(1000, 401),
      used(2000, 401),
    ]);
    expect(violations).toEqual([]);
    expect(warnings).toEqual([
      {
        exchange: 'x4',
        related: ['x3'],
        expected: 'the token that was refused in x3 is not used again',
        got: 'it is used again after a refusal, although a newer one was issued elsewhere',
      },
    ]);
    expect(judged).toEqual(['x3']);
  });

  it('names one that was refused in the moment of the newer one', () => {
    const { warnings } = outcomeOf(RULE, [...elsewhere, used(500, 401), used(2000, 401)]);
    expect(warnings).toHaveLength(1);
  });

  it('counts from the first refusal, and each token by itself', () => {
    const thrice = [...elsewhere, used(1000, 401), used(2000, 401), used(3000, 401)];
    expect(outcomeOf(RULE, thrice)).toMatchObject({
      warnings: [{ exchange: 'x4', related: ['x3'] }],
      violations: [{ exchange: 'x5', related: ['x3', 'x4'] }],
    });
  });

  it.each([
    ['was served', [used(1000, 200), used(2000, 401)]],
    ['was refused before', [used(100, 401), used(200, 200)]],
    ['was refused in an answer that was lost', [used(1000, 401, null), used(2000, 200)]],
  ])('excuses a token that %s', (_case, uses) => {
    expect(judge(RULE, [...elsewhere, ...uses]).got).toEqual([]);
  });

  it('excuses a refused token where no newer one was issued elsewhere', () => {
    const traffic = [userToken('a'), used(1000, 401), used(2000, 401)];
    expect(judge(RULE, traffic)).toMatchObject({ got: [], judged: 0 });
  });
});
