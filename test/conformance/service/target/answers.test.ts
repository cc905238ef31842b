import { describe, expect, it } from 'vitest';
import type { RequestResult } from '../../../../src/conformance/service/http/message.ts';
import { parseJson, tokenAnswerOf } from '../../../../src/conformance/service/target/answers.ts';

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
    [200, 'negative: a wrong signature', 'accepted'],
    [202, 'negative: a wrong signature', 'refused'],
    [202, 'gap: an unknown scope beside public', 'refused'],
    [202, 'the same, signed with nothing trimmed', 'refused'],
    [202, 'baseline before: a well-formed platform request', 'accepted'],
    [202, 'positive: a request with a further field', 'accepted'],
    [400, 'positive: a request with a further field', 'refused'],
  ])('with status %i and a token to "%s" is %s', (status, purpose, outcome) => {
    expect(tokenAnswerOf(answered(status, TOKEN), purpose).outcome).toBe(outcome);
  });

  it('is read as if no byte order mark stood before it', () => {
    expect(tokenAnswerOf(answered(200, `\uFEFF${TOKEN}`), '').accessToken).toBe('at');
    expect(parseJson('\uFEFF\uFEFF{}')).toBeUndefined();
  });
});
