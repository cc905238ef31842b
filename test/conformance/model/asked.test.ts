import { describe, expect, it } from 'vitest';
import { askedIn } from '../../../src/conformance/model/asked.ts';
import type { Exchange } from '../../../src/documents/exchange.ts';

const BASE = 'https://service.test/base';

/** A token request of partner `a`, as a document stores it. */
const token = (more: Partial<Exchange> = {}, body: object = {}): Exchange => ({
  id: 'x1',
  at: '2026-06-01T12:00:00.000Z',
  targetAt: '2026-06-02T12:00:00.000Z',
  purpose: 'any words',
  expects: 'accepted',
  partnerId: 'a',
  request: {
    method: 'POST',
    url: `${BASE}/v1/oauth/token`,
    headers: { authorization: 'Bearer a|[signature 1]' },
    body: JSON.stringify({ grant_type: 'client_credentials', ...body }),
  },
  response: {
    status: 200,
    headers: {},
    body: '{"access_token":"[access_token 1]","refresh_token":"[refresh_token 1]","expires_in_second":60}',
    bodyBytes: 90,
    truncated: false,
  },
  error: null,
  durationMs: 5,
  ...more,
});

const refused = (headers: Record<string, string> = {}): Partial<Exchange> => ({
  response: { status: 429, headers, body: '', bodyBytes: 0, truncated: false },
});

const batch = { id: 'gap', baseRequest: 'platform', setting: {} } as const;

describe('requests of a log', () => {
  it('have the times of the target, and the tokens that came', () => {
    expect(askedIn([token()], BASE)).toMatchObject([
      {
        kind: 'platform',
        sentMs: Date.UTC(2026, 5, 2, 12),
        answeredMs: Date.UTC(2026, 5, 2, 12) + 5,
        wallMs: Date.UTC(2026, 5, 1, 12),
        outcome: 'accepted',
        isRight: true,
        got: { accessToken: '[access_token 1]', refreshToken: '[refresh_token 1]', lifeMs: 60_000 },
      },
    ]);
  });

  it('are read of refreshes and of estimates', () => {
    const refresh = token({}, { grant_type: 'refresh_token', refresh_token: '[refresh_token 1]' });
    const estimate = token({
      request: {
        method: 'GET',
        url: `${BASE}/v1/estimates/prices?product_type=private-car`,
        headers: { authorization: 'Bearer a|[signature 1] openid|[access_token 2]' },
        body: null,
      },
    });
    expect(askedIn([refresh, estimate], BASE)).toMatchObject([
      { kind: 'refresh', sent: { refreshToken: '[refresh_token 1]' } },
      { kind: null, sent: { accessToken: '[access_token 2]' }, form: 'user private-car   ' },
    ]);
  });

  it.each([
    ['expects another answer', { expects: 'either' }],
    ['was signed with another key', { signed: { text: null, key: 'other' } }],
    ['was spoiled', { signed: { text: '', key: 'own', alteration: 'a digit' } }],
  ] as const)('ask for nothing where one %s', (_what, more) => {
    expect(askedIn([token(more)], BASE)[0]?.isRight).toBe(false);
  });

  it('say how they were refused, or that no answer came', () => {
    const answers = askedIn(
      [token(refused()), token(refused({ 'retry-after': '30' })), token({ response: null })],
      BASE,
    );
    expect(answers.map(({ outcome, retryAfterS }) => [outcome, retryAfterS])).toEqual([
      ['refused', null],
      ['refused', 30],
      ['broken', null],
    ]);
  });

  it.each([
    ['accepted', 'accepted'],
    ['refused', 'refused'],
    ['either', 'broken'],
  ] as const)('that expect %s are %s by a token with status 202', (expects, outcome) => {
    const response = { ...token().response!, status: 202 };
    const [asked] = askedIn([token({ expects, response })], BASE);
    expect(asked?.outcome).toBe(outcome);
    expect(asked?.got.accessToken === null).toBe(outcome !== 'accepted');
  });

  it('leave out probes of gaps, other names, other targets and other grants', () => {
    const { request } = token();
    const others = [
      token({ part: { batch: { ...batch, isProbe: true }, number: 1 } }),
      token({ partnerId: 'b' }),
      token({ partnerId: null }),
      token({ request: { ...request, url: 'https://other.test/v1/oauth/token' } }),
      token({}, { grant_type: 'password' }),
      token({ request: { ...request, body: 'no JSON' } }),
    ];
    expect(askedIn(others, BASE)).toEqual([]);
  });

  it('stand in the order in which they were sent, and not by a clock that steps back', () => {
    const later = token({ id: 'x10', targetAt: '2026-06-02T11:59:59.000Z' });
    const asked = askedIn([later, token({ id: 'x9' })], BASE);
    expect(asked.map(({ id }) => id)).toEqual(['x9', 'x10']);
  });

  it('know a check that was repeated', () => {
    const part = { check: 'quota/daily-reset', attempt: 2, number: 1 };
    expect(askedIn([token({ part })], BASE)[0]?.isRepeated).toBe(true);
  });
});
