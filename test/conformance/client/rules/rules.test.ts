import { describe, expect, it } from 'vitest';
import { CLIENT_CHECKS } from '../../../../src/conformance/client/rules/all.ts';
import type { CapturedExchange } from '../../../../src/conformance/client/traffic/captured.ts';
import { CLIENT_RULES, sign } from '../../../../src/interface/index.ts';
import {
  estimate,
  judge,
  KNOWN_PARTNER,
  NOON,
  QUERY,
  refresh,
  type Twist,
  tokenRequest,
  userEstimate,
  userToken,
} from '../client-traffic.ts';

const DAY_MS = 86_400_000;

const tokens = (
  count: number,
  twist: (n: number) => Twist = (n) => ({ at: n * 1000 }),
): CapturedExchange[] => Array.from({ length: count }, (_, n) => tokenRequest(`t${n}`, twist(n)));

const query = (change: Record<string, string | undefined>): string => {
  const pairs = Object.entries({ ...QUERY, ...change }).filter(([, value]) => value !== undefined);
  return `/v1/estimates/prices?${new URLSearchParams(pairs as [string, string][]).toString()}`;
};

/** A rule, traffic that keeps it, and traffic that breaks it with the words for it. */
const CASES: readonly (readonly [
  string,
  readonly CapturedExchange[],
  readonly CapturedExchange[],
  RegExp,
])[] = [
  [
    'client/path-version',
    [tokenRequest('a')],
    [tokenRequest('a', { target: '/oauth/token' })],
    /oauth/,
  ],
  ['client/token-method', [tokenRequest('a')], [tokenRequest('a', { method: 'PUT' })], /PUT/],
  [
    'client/token-method',
    [tokenRequest('a')],
    [tokenRequest('a', { target: '/v1/token' })],
    /v1\/token/,
  ],
  [
    'client/token-content-type',
    [tokenRequest('a', { headers: { 'content-type': 'application/json; charset=utf-8' } })],
    [tokenRequest('a', { headers: { 'content-type': 'text/plain' } })],
    /text\/plain/,
  ],
  [
    'client/token-content-type',
    [tokenRequest('a')],
    [tokenRequest('a', { body: 'grant_type=client_credentials' })],
    /not a JSON object/,
  ],
  [
    'client/token-authorization',
    [tokenRequest('a')],
    [tokenRequest('a', { headers: { authorization: 'Basic p-1:x' } })],
    /scheme Basic, no \|/,
  ],
  [
    'client/token-authorization',
    [tokenRequest('a')],
    [tokenRequest('a', { headers: { authorization: `Bearer p-2|${'0'.repeat(32)}` } })],
    /partner id "p-2"/,
  ],
  [
    'client/signature',
    [tokenRequest('a'), userToken('u', { at: 1 }), userEstimate('u', { at: 2 })],
    [tokenRequest('a', { headers: { authorization: `Bearer p-1|${'0'.repeat(32)}` } })],
    /no known mistake/,
  ],
  [
    'client/grant-fields',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: undefined } })],
    /without nostr/,
  ],
  [
    'client/grant-fields',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 123456 } })],
    /nostr is a number/,
  ],
  [
    'client/grant-fields',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { grant_type: 'x' } })],
    /grant_type is "x"/,
  ],
  [
    'client/grant-fields',
    [userToken('a')],
    [userToken('a', { fields: { auth_code: undefined } })],
    /auth_code/,
  ],
  [
    'client/timestamp-iso8601',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { _: '1772452800' } })],
    /1772452800/,
  ],
  [
    'client/timestamp-fresh',
    [tokenRequest('a', { fields: { _: '2026-03-02T20:09:59+08:00' } })],
    [tokenRequest('a', { fields: { _: '2026-03-02T20:00:00' } })],
    /ahead; without a zone/,
  ],
  [
    'client/nostr',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 'a1B2c3d' } })],
    /a1B2c3d/,
  ],
  [
    'client/nostr',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 'a1B2c-' } })],
    /a1B2c-/,
  ],
  [
    'client/nostr-random',
    tokens(2),
    tokens(2, (at) => ({ at, fields: { nostr: 'a1B2c3' } })),
    /second time/,
  ],
  [
    'client/scope-known',
    [userToken('a')],
    [tokenRequest('a', { fields: { scope: 'public,rides.read' } })],
    /public,rides/,
  ],
  [
    'client/scope-on-behalf',
    [userToken('a')],
    [userToken('a', { fields: { scope: 'public' } })],
    /rides.read, rides.request/,
  ],
  ['client/quota-platform', tokens(10), tokens(11), /11 in a day/],
  [
    'client/quota-platform',
    tokens(12, (n) => ({ at: n * DAY_MS * 0.1 })),
    tokens(11),
    /11 in a day/,
  ],
  [
    'client/ban-respected',
    tokens(3, (n) => ({ at: n * 100, status: 403 })),
    tokens(4, (n) => ({ at: n * 300, status: 403 })),
    /after 3/,
  ],
  [
    'client/ban-respected',
    // Four threads ask at once; each request may have been sent before a refusal was read.
    tokens(4, (n) => ({ at: n * 10, took: 2, status: 403 })),
    tokens(14, (n) => ({ at: n * 10, took: 2, status: 403 })),
    /after 3/,
  ],
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
    // A pool: each of its tokens goes on.
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
    // The second estimate was on its way when the first one was refused.
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
  ['client/estimate-method', [estimate('a')], [estimate('a', { method: 'POST' })], /POST/],
  [
    'client/estimate-content-type',
    [estimate('a')],
    [estimate('a', { headers: { 'content-type': undefined } })],
    /none/,
  ],
  [
    'client/estimate-authorization',
    [tokenRequest('a'), estimate('a', { at: 10 })],
    [estimate('a', { headers: { authorization: 'Bearer access-a' } })],
    /no \|/,
  ],
  [
    'client/estimate-authorization',
    [userToken('a'), userEstimate('a', { at: 10 })],
    [userToken('a'), estimate('a', { at: 10 })],
    /platform's header/,
  ],
  [
    'client/estimate-authorization',
    [tokenRequest('a'), estimate('a', { at: 10 })],
    [
      tokenRequest('a'),
      estimate('a', { at: 10, headers: { authorization: 'Bearer p-1|refresh-a' } }),
    ],
    /a refresh_token in place/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a')],
    [estimate('a', { target: query({ to_name: undefined }) })],
    /no to_name/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a')],
    [estimate('a', { target: query({ start_lat: '116.3' }) })],
    /beyond ±90/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a')],
    [estimate('a', { target: query({ end_lng: '116,3' }) })],
    /not a number/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a', { target: query({ start_lng: '1e-05', end_lng: '-1.5E+1' }) })],
    [estimate('a', { target: query({ start_lng: '1e-', end_lng: '2e2' }) })],
    /start_lng is "1e-", not a number; end_lng is 2e2, beyond/,
  ],
  [
    'client/estimate-encoding',
    [estimate('a', { target: query({ from_name: '100%25 天' }) })],
    [estimate('a', { target: `${query({ from_name: undefined })}&from_name=%CC%EC` })],
    /not UTF-8 \(as GBK they are "天"\)/,
  ],
  [
    'client/estimate-encoding',
    [estimate('a')],
    [estimate('a', { target: query({ from_name: encodeURIComponent('天') }) })],
    /percent-encoded twice/,
  ],
  [
    'client/departure-time',
    [estimate('a', { target: query({ departure_time: '1772452800' }) })],
    [estimate('a', { target: query({ departure_time: '1772452800000' }) })],
    /milliseconds/,
  ],
  [
    'client/failure-handled',
    [
      tokenRequest('a', { status: 500 }),
      tokenRequest('b', { at: 100 }),
      estimate('b', { at: 200 }),
    ],
    [tokenRequest('a', { status: 500 }), estimate('a', { at: 200 })],
    /access_token/,
  ],
  [
    'client/lost-answer-handled',
    [
      tokenRequest('a'),
      refresh('a', 'b', { at: 1000, took: null, stimuli: ['lost-answer'] }),
      tokenRequest('c', { at: 2000 }),
    ],
    [
      tokenRequest('a'),
      refresh('a', 'b', { at: 1000, took: null, stimuli: ['lost-answer'] }),
      refresh('a', 'c', { at: 2000 }),
    ],
    /refresh-single-use/,
  ],
];

describe('the client rules', () => {
  it('are all judged, each by one check', () => {
    expect(CLIENT_CHECKS.map(({ rule }) => rule)).toEqual(CLIENT_RULES.map(({ id }) => id));
  });

  it.each(CASES.map((one, at) => [`${one[0]} (${at + 1})`, ...one] as const))(
    '%s holds, and is broken',
    (_name, rule, green, red, words) => {
      const held = judge(rule, green);
      expect(held.got).toEqual([]);
      if (rule !== 'client/failure-handled') expect(held.judged).toBeGreaterThan(0);
      expect(judge(rule, red).got.join('\n')).toMatch(words);
    },
  );
});

describe('what is no violation', () => {
  it('a token that a second worker takes', () => {
    const traffic = [tokenRequest('a'), tokenRequest('b', { at: 500 }), estimate('a', { at: 900 })];
    expect(judge('client/token-reused', traffic).got).toEqual([]);
  });

  it('the older refresh_token of two that are used side by side', () => {
    const traffic = [
      tokenRequest('a'),
      tokenRequest('b', { at: 1000 }),
      estimate('a', { at: 1500 }),
      refresh('a', 'c', { at: 2000 }),
    ];
    expect(judge('client/refresh-newest', traffic).got).toEqual([]);
  });

  it('a new token where an estimate was refused', () => {
    const traffic = [1, 2, 3].flatMap((n) => [
      tokenRequest(`t${n}`, { at: n * 1000 }),
      estimate(`t${n}`, { at: n * 1000 + 500, status: 401 }),
    ]);
    expect(judge('client/token-reused', traffic).got).toEqual([]);
  });

  it('a new token when the refresh was lost', () => {
    const traffic = [
      tokenRequest('a', {}, 2),
      refresh('a', 'b', { at: 1800, took: null }, 2),
      tokenRequest('c', { at: 1900 }, 2),
      estimate('c', { at: 2000 }),
    ];
    expect(CLIENT_CHECKS.flatMap(({ rule }) => judge(rule, traffic).got)).toEqual([]);
  });

  it('a signature that is right under another answer to a gap', () => {
    const places = { places: ['a/b'] };
    expect(judge('client/signature', [tokenRequest('a', { fields: places })]).got).toEqual([]);
  });

  it('a target in absolute form, as a proxy is sent it', () => {
    const origin = 'http://127.0.0.1:8080';
    const traffic = [
      tokenRequest('a', { target: `${origin}/v1/oauth/token` }),
      estimate('a', { at: 10, target: `HTTP://localhost${query({})}` }),
    ];
    for (const { rule } of CLIENT_CHECKS)
      expect([rule, judge(rule, traffic).got]).toEqual([rule, []]);
    const elsewhere = [tokenRequest('a', { target: `${origin}/oauth/token` })];
    expect(judge('client/path-version', elsewhere).got).toEqual(['the path "/oauth/token"']);
    const bare = [tokenRequest('a', { target: `${origin}?x=1` })];
    expect(judge('client/path-version', bare).got).toEqual(['the path "/"']);
  });

  it('a pool of short-lived tokens, each refreshed in its own time', () => {
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

  it("several users' tokens behind a proxy, where nobody knows whose they are", () => {
    const traffic = [
      userToken('a'),
      userToken('b', { at: 1000, fields: { auth_code: 'code-of-another' } }),
      userEstimate('a', { at: 2000 }),
    ];
    const rule = 'client/user-token-newest';
    expect(judge(rule, traffic, null, false).got).toEqual([]);
    expect(judge(rule, traffic).got.join()).toMatch(/the one from x1/);
  });

  it.each(['GET', 'HEAD'])('a %s that tells whether the server is there', (method) => {
    const traffic = [estimate('a', { target: '/healthz', method })];
    expect(judge('client/path-version', traffic)).toMatchObject({ got: [], judged: 0 });
  });
});

describe('a wrong signature', () => {
  it('that is explained is shown before one that is not', () => {
    const unexplained = { headers: { authorization: `Bearer p-1|${'0'.repeat(32)}` } };
    const fields = { grant_type: 'client_credentials', _: '2026-03-02T12:00:00Z', nostr: 'a1B2c3' };
    const signed = sign({ ...fields, _: '2026-03-02T11:59:59Z' }, KNOWN_PARTNER.signingKey);
    const explained = { fields, headers: { authorization: `Bearer p-1|${signed}` } };
    const traffic = [tokenRequest('a', unexplained), tokenRequest('b', { at: 9, ...explained })];
    const { got } = judge('client/signature', traffic);
    expect(got).toEqual([
      expect.stringContaining('other-value:_'),
      expect.stringContaining('no known mistake'),
    ]);
  });

  it('is explained with the text that was signed and the one that should have been', () => {
    const unsorted = tokenRequest('a', {
      headers: { authorization: 'Bearer p-1|d41d8cd98f00b204e9800998ecf8427e' },
    });
    expect(judge('client/signature', [unsorted]).got[0]).toMatch(/no known mistake/);
  });

  it('names a time that was read twice', () => {
    const fields = { grant_type: 'client_credentials', nostr: 'a1B2c3' };
    const signed = sign(
      { ...fields, _: '2026-03-02T12:00:00.000100+00:00' },
      'A Key Of Some Length',
    );
    const sent = tokenRequest('a', {
      fields: { ...fields, _: '2026-03-02T12:00:00.000173+00:00' },
      headers: { authorization: `Bearer p-1|${signed}` },
    });
    expect(judge('client/signature', [sent]).got[0]).toMatch(/another "_" than the sent one/);
  });
});

it('noon is noon', () => {
  expect(new Date(NOON).toISOString()).toBe('2026-03-02T12:00:00.000Z');
});
