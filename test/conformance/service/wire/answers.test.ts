import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../../src/conformance/parse-json.ts';
import type { RequestResult } from '../../../../src/conformance/service/http/message.ts';
import {
  estimateAnswerOf,
  tokenAnswerOf,
  usableText,
} from '../../../../src/conformance/service/wire/answers.ts';

const answered = (status: number, body: string): RequestResult => ({
  id: 'x1',
  outcome: {
    response: { status, headers: {}, body, bodyBytes: body.length, truncated: false },
    error: null,
  },
  sentAtMs: 0,
  answeredAtMs: 1,
});

const TOKEN = '{"access_token":"at","refresh_token":"rt"}';

describe('an answer of the token endpoint', () => {
  it.each([
    [200, 'refused', 'accepted'],
    [202, 'refused', 'refused'],
    [202, 'either', 'accepted'],
    [202, 'accepted', 'accepted'],
    [199, 'accepted', 'refused'],
    [400, 'accepted', 'refused'],
    [400, 'either', 'refused'],
  ] as const)(
    'with status %i and a token, where it expects %s, is %s',
    (status, expects, outcome) => {
      expect(tokenAnswerOf(answered(status, TOKEN), expects).outcome).toBe(outcome);
    },
  );

  it.each([
    ['1969-12-31T23:50:00Z', 'accepted', 'broken'],
    ['1969-12-31T23:50:10Z', 'accepted', 'refused'],
    ['1969-12-31T23:50:00', 'accepted', 'broken'],
    ['1970-01-01T07:50:00', 'accepted', 'refused'],
    ['-600', 'accepted', 'refused'],
    ['1969-12-31T23:50:00Z', 'refused', 'refused'],
    [undefined, 'accepted', 'refused'],
  ] as const)(
    'to a request of the year 1970 with %s for its _, which expects that it is %s, is %s',
    (time, expects, outcome) => {
      expect(tokenAnswerOf(answered(400, '{}'), expects, time).outcome).toBe(outcome);
      expect(tokenAnswerOf(answered(200, TOKEN), 'accepted', time).outcome).toBe('accepted');
    },
  );

  it('with another 2xx and no token is refused', () => {
    expect(tokenAnswerOf(answered(202, '{"access_token":"a b"}'), 'accepted').outcome).toBe(
      'refused',
    );
  });

  it.each([
    ['1', 1],
    ['0', null],
    ['-1', null],
    ['"60"', null],
    ['null', null],
  ])('with a lifetime of %s is read as %s seconds', (text, seconds) => {
    const { expiresInSeconds } = tokenAnswerOf(
      answered(200, `{"expires_in_second":${text}}`),
      'accepted',
    );
    expect(expiresInSeconds).toBe(seconds);
  });

  it.each(['[{"access_token":"at"}]', 'null', '"text"', 'no JSON'])(
    'that is %s has no token',
    (body) => {
      const { accessToken, refreshToken } = tokenAnswerOf(answered(200, body), 'accepted');
      expect([accessToken, refreshToken]).toEqual([null, null]);
    },
  );

  it('is read as if no byte order mark stood before it', () => {
    expect(tokenAnswerOf(answered(200, `\uFEFF${TOKEN}`), 'accepted').accessToken).toBe('at');
    expect(parseJson('\uFEFF\uFEFF{}')).toBeUndefined();
  });
});

describe('an answer', () => {
  it('keeps what was received', () => {
    const result = answered(403, '{"a":1}');
    const { response } = result.outcome;
    const received = { ...response!, headers: { 'retry-after': '3' }, truncated: true };
    const answer = estimateAnswerOf({ ...result, outcome: { response: received, error: null } });
    expect(answer).toEqual({
      exchange: 'x1',
      status: 403,
      headers: { 'retry-after': '3' },
      body: '{"a":1}',
      truncated: true,
      json: { a: 1 },
      outcome: 'refused',
      failure: '',
      sentAtMs: 0,
      answeredAtMs: 1,
      records: [],
    });
  });

  it('that never came is broken, and empty', () => {
    const error = { code: 'TIMEOUT', message: 'no answer within 10 s' } as const;
    const lost = { ...answered(200, ''), outcome: { response: null, error } };
    expect(estimateAnswerOf(lost)).toMatchObject({
      status: 0,
      headers: {},
      body: '',
      truncated: false,
      json: undefined,
      outcome: 'broken',
      failure: 'no answer within 10 s (TIMEOUT)',
    });
    expect(tokenAnswerOf(lost, 'accepted').outcome).toBe('broken');
  });

  it('that was received whole is not truncated', () => {
    expect(estimateAnswerOf(answered(200, '[]')).truncated).toBe(false);
  });
});

it.each([
  ['[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
  ['[{"a":1},null,3,"b",[{"c":4}]]', [{ a: 1 }]],
  ['{"a":1}', []],
  ['no JSON', []],
])('the estimates of %s are its objects', (body, records) => {
  expect(estimateAnswerOf(answered(200, body)).records).toEqual(records);
});

it.each([
  ['abc~!', 'abc~!'],
  ['', null],
  [' abc', null],
  ['abc ', null],
  ['a\u00e9', null],
  [7, null],
])('%j in a header is %j', (value, text) => {
  expect(usableText(value)).toBe(text);
});
