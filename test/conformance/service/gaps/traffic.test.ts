import { describe, expect, it } from 'vitest';
import type { Facts } from '../../../../src/conformance/service/contract/target.ts';
import { readTraffic, TRAFFIC_READERS } from '../../../../src/conformance/service/gaps/traffic.ts';
import type { Exchange } from '../../../../src/documents/exchange.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../../src/interface/limits.ts';

type Sent = Partial<Pick<Exchange, 'at' | 'expects' | 'part' | 'partnerId'>>;

function exchange(path: string, status: number, body: string, sent: Sent, id: string): Exchange {
  return {
    id,
    at: '2026-01-01T00:00:00.000Z',
    purpose: 'a request',
    partnerId: 'p',
    request: { method: 'GET', url: `http://x${path}?a=/`, headers: {}, body: null },
    response: { status, headers: {}, body, bodyBytes: body.length, truncated: false },
    error: null,
    durationMs: 1,
    ...sent,
  };
}

type Row = readonly [path: string, status: number, body: string, sent?: Sent];

/** Observes a gap in exchanges, whose ids are their numbers. */
function observed(gap: keyof typeof TRAFFIC_READERS, ...rows: readonly Row[]): unknown {
  const exchanges = rows.map(([path, status, body, sent = {}], at) =>
    exchange(path, status, body, sent, `${at}`),
  );
  const facts = { tokenFields: 'all', estimateFields: ['from_name'] } as unknown as Facts;
  return TRAFFIC_READERS[gap](readTraffic(exchanges, facts, []));
}

const estimate = (records: unknown, sent: Sent = {}): Row => [
  ESTIMATES_PATH,
  200,
  JSON.stringify(records),
  sent,
];
const token = (tokenType: unknown, sent: Sent = {}): Row => [
  TOKEN_PATH,
  200,
  JSON.stringify({ token_type: tokenType }),
  sent,
];
const refusal = (status: number, body = '', sent: Sent = {}): Row => [
  TOKEN_PATH,
  status,
  body,
  { expects: 'refused', ...sent },
];
const at = (ms: number, sent: Sent = {}): Sent => ({
  ...sent,
  at: new Date(Date.UTC(2026, 0) + ms).toISOString(),
});
const AGAIN: Sent = { part: { check: 'token/x', repeat: 1 } as Exchange['part'] };

describe('codes in estimates', () => {
  it('are listed in the order of the longest list, of texts only', () => {
    const lists = [['b'], ['a', 'b', 'c']].map((codes) => ({ pay_type: codes.join(' , ') }));
    const others = [{ pay_type: 7 }, {}, null, 'text'];
    expect(observed('pay-type-codes', estimate([...others, ...lists]))).toEqual({
      value: ['a', 'b', 'c'],
      words: 'a, b, c',
      exchanges: ['0'],
    });
  });

  it('are no names that a behaviour file cannot have', () => {
    const names = ['${HOME}', 'two words', 'x'.repeat(41), ''];
    expect(observed('pay-type-codes', estimate([{ pay_type: names.join(',') }]))).toBeUndefined();
    expect(observed('pay-type-codes', estimate([{ pay_type: 'é' }]))).toMatchObject({
      value: ['é'],
      words: '?',
    });
  });

  it('are the integers of car_type in ascending order, each once', () => {
    const records = [600, 100, 600, '7', 1.5, null].map((code) => ({ car_type: code }));
    expect(observed('car-type-codes', estimate(records), estimate({}))).toEqual({
      value: [100, 600],
      words: '100, 600',
      exchanges: ['0', '1'],
    });
    expect(observed('car-type-codes', [ESTIMATES_PATH, 400, '[{"car_type":1}]'])).toBeUndefined();
  });
});

it('finds the most frequent spelling of token_type, and lists the others', () => {
  expect(
    observed('token-type-spelling', token('mac'), token('bearer'), token('mac'), token(7)),
  ).toMatchObject({ value: 'bearer', words: '"mac" or "bearer"' });
  expect(observed('token-type-spelling', token('mac'))).not.toHaveProperty('value');
  expect(observed('token-type-spelling', token(7))).toBeUndefined();
});

describe('signed fields', () => {
  it('are those that the profile names, in accepted requests', () => {
    expect(observed('signed-fields-token', token('bearer'))).toMatchObject({
      value: 'all',
      words: expect.stringContaining('all fields of the body'),
    });
    expect(observed('signed-fields-token', refusal(400))).toBeUndefined();
    // An estimate of a platform token has no signature.
    expect(observed('signed-fields-estimate', estimate([]))).toBeUndefined();
  });
});

describe('a rate', () => {
  it('is none where no request was sent again', () => {
    expect(observed('estimate-rate-limit', estimate([], at(0)), estimate([], at(1500)))).toEqual({
      value: 'none',
      words: 'no limit met by 2 estimates within 2 s',
      exchanges: ['0', '1'],
    });
    expect(observed('estimate-rate-limit', estimate([]))).toBeUndefined();
  });

  it('is the most of one partner within a second where one was', () => {
    const sent = [at(0), at(999, AGAIN), at(1000), at(1001, { partnerId: 'other' }), at(1998)];
    expect(observed('estimate-rate-limit', ...sent.map((one) => estimate([], one)))).toMatchObject({
      value: { perSecond: 3 },
    });
  });

  it('of tokens is not known where well-formed requests were refused for it', () => {
    const twice = [token('bearer'), token('bearer')];
    const limited: Row = [TOKEN_PATH, 429, ''];
    expect(observed('token-rate-limit', ...twice, limited)).toEqual({
      words: '1 well-formed requests were refused with status 429',
      exchanges: ['2'],
    });
    const other: Row = [ESTIMATES_PATH, 429, ''];
    const ofQuota = { part: { counted: true } as Exchange['part'] };
    const alsoLimited = [other, refusal(429), [TOKEN_PATH, 429, '', ofQuota] as const];
    expect(observed('token-rate-limit', ...twice, ...alsoLimited)).toMatchObject({ value: 'none' });
  });
});

describe('refusals', () => {
  const ofCheck = (check: string, sent: Sent = {}): Sent => ({
    ...sent,
    part: { check } as Exchange['part'],
  });
  const missing = ofCheck('token/nostr-required');

  it('have the status that is most frequent for their condition', () => {
    const rows = [422, 400, 422].map((status) => refusal(status, '', missing));
    expect(observed('error-status', ...rows)).toEqual({
      value: { 'field-missing': 422 },
      words: 'field-missing 422 or 400',
      exchanges: ['0'],
    });
  });

  it('are those of requests that must be refused', () => {
    const accepted = { ...missing, expects: 'accepted' } as const;
    expect(observed('error-status', [TOKEN_PATH, 503, '', accepted])).toBeUndefined();
    expect(observed('error-status', refusal(200, '{}', missing))).toBeUndefined();
    expect(observed('error-status', refusal(401, '', ofCheck('token/none')))).toBeUndefined();
  });

  it('have a status of success where the answer has no body, which no setting expresses', () => {
    expect(observed('error-status', refusal(204, '', missing))).toEqual({
      words: 'field-missing 204',
      exchanges: ['0'],
    });
  });

  it('during a ban are for the ban, but the first of each partner for its allowance', () => {
    const during = ofCheck('quota/ban-lasts-24h');
    const rows = [
      refusal(429, '', during),
      refusal(403, '', during),
      refusal(429, '', { ...during, partnerId: 'other' }),
    ];
    expect(observed('error-status', ...rows)).toMatchObject({
      value: { 'quota-exceeded': 429, banned: 403 },
    });
  });

  it.each([
    ['{"b":1,"a":2}', 'json', 'JSON with the fields a, b'],
    ['{}', 'json', 'JSON with the fields (none)'],
    ['[]', 'json', 'JSON'],
    ['<p>', 'text', 'HTML'],
    ['no', 'text', 'text'],
    [' ', 'empty', 'empty'],
  ])('have a body of one form: %j', (body, value, words) => {
    expect(observed('error-body', refusal(400, body))).toEqual({ value, words, exchanges: ['0'] });
  });

  it('have the most frequent form, others are named, and an answer that never has a body is none', () => {
    const rows = [
      refusal(204),
      refusal(304),
      refusal(400, 'no'),
      refusal(400),
      refusal(400, 'yes'),
    ];
    expect(observed('error-body', ...rows)).toEqual({
      value: 'text',
      words: 'text, at times empty',
      exchanges: ['2'],
    });
  });
});

describe('refused requests that did not count', () => {
  const FACTS = {} as Facts;
  const asked = (status: number, expects: Exchange['expects'], number: number): Exchange => {
    const sent = { ...at(400_000 + number), expects };
    const body = JSON.stringify(status === 200 ? { access_token: 'token' } : {});
    const request = {
      method: 'POST',
      url: `http://x${TOKEN_PATH}`,
      headers: { authorization: 'Bearer p|signature' },
      body: JSON.stringify({ grant_type: 'client_credentials' }),
    };
    return { ...exchange(TOKEN_PATH, status, body, sent, `x${number}`), request };
  };
  /** Finding of requests that were refused, then accepted, then refused again. */
  const seen = (refused: number, accepted: number, after = 0) => {
    const exchanges = Array.from({ length: refused + accepted + after }, (_, number) =>
      number < refused || number >= refused + accepted
        ? asked(401, 'refused', number)
        : asked(200, 'accepted', number),
    );
    return TRAFFIC_READERS['failed-requests-count'](readTraffic(exchanges, FACTS, []));
  };

  it.each([
    [3, 10, { value: 'no', words: 'none of 3 refused requests did' }],
    [3, 9, { words: 'at least 2 of 3 refused requests did not' }],
  ])('show as, after %i of them, %i are accepted', (refused, accepted, found) => {
    expect(seen(refused, accepted)).toEqual({ ...found, exchanges: ['x0', 'x1', 'x2'] });
  });

  it.each([
    ['all may have counted', 3, 7, 0],
    ['there were none', 0, 10, 0],
    ['more than an allowance was granted', 0, 14, 0],
    ['they came last', 0, 10, 3],
  ])('do not show if %s', (_how, refused, accepted, after) => {
    expect(seen(refused, accepted, after)).toBeUndefined();
  });
});
