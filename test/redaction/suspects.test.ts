import { describe, expect, it } from 'vitest';
import { Redactor } from '../../src/redaction/index.ts';
import type { TextKind } from '../../src/redaction/suspects.ts';
import fc from '../support/property.ts';
import { TOKEN_SHAPES } from '../support/token-shapes.ts';

const REQUEST = [
  'POST',
  'http://127.0.0.1:8080/v1/oauth/token',
  'content-type: application/json',
  '{"grant_type":"client_credentials","_":"2026-11-28T16:50:00Z","nostr":"aB3dE6"}',
].join('\n');

function redacted(
  text: string,
  kind: TextKind = 'token-answer',
  redactor = new Redactor(),
): string {
  const received = { text, kind, request: () => REQUEST };
  redactor.suspect(received);
  return redactor.redactReceived(received);
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the answer to a token request', () => {
  const letters = fc.string({
    minLength: 16,
    maxLength: 80,
    unit: fc.constantFrom(...Array.from('abcxyzABCXYZ0123456789+/=-._~')),
  });
  const digits = fc
    .bigInt({ min: 10n ** 11n, max: 10n ** 30n })
    .map((one) => `${one}`)
    .filter((one) => !/9{8}/.test(one));

  it.each(Object.entries(TOKEN_SHAPES))('shows no token %s, and stays JSON or not', (_, shape) => {
    const token = shape.ofDigits
      ? digits
      : letters.filter((one) => /[A-Z0-9]/.test(one.slice(1, -1)) && !/^[.=-]|[.=-]$/.test(one));
    fc.assert(
      fc.property(token, token, (access, refresh) => {
        const body = shape.body({ access, refresh });
        const shown = redacted(body);
        for (const one of [access, refresh]) {
          for (let at = 0; at + 8 <= one.length; at++) {
            const part = one.slice(at, at + 8);
            if (/[A-Z]/.test(part) && /\d/.test(part)) expect(shown).not.toContain(part);
          }
          expect(shown).not.toContain(one);
          expect(shown).not.toContain(encodeURIComponent(one));
        }
        expect(isJson(shown)).toBe(isJson(body));
      }),
      { numRuns: 12 },
    );
  });

  it.each([
    ['in JSON', '{"accessToken":"ab12"}', '{"accessToken":"[token 1]"}'],
    ['as a number', '{"id_token": 4711, "code": 40001}', '{"id_token": 9999, "code": 40001}'],
    ['in a form', 'refreshToken=ab12&scope=public', 'refreshToken=[token 1]&scope=public'],
    ['in XML', '<oauth:token>ab12</oauth:token>', '<oauth:token>[token 1]</oauth:token>'],
    ['in YAML', 'auth_code: ab12\nage: 7', 'auth_code: [token 1]\nage: 7'],
    ['in a list', '{"tokens":["ab12","cd34"]}', '{"tokens":["[token 1]","[token 2]"]}'],
    [
      'in an object',
      '{"token":{"value":"ab12","type":"mac"}}',
      '{"token":{"value":"[token 1]","type":"mac"}}',
    ],
  ])('hides a short value of a field that is named like one of a token, %s', (_, text, shown) => {
    expect(redacted(text)).toBe(shown);
  });

  it.each([
    '{"error":{"code":"signature-invalid","message":"The signature is wrong.","rule":"token/signature"}}',
    '{"error":"invalid_client_credentials","error_description":"Unauthorized: no such partner"}',
    '{"code":"INVALID_SIGNATURE","status":401,"path":"/v1/oauth/token"}',
    '{"timestamp":"2026-11-28T16:51:02.123+00:00","error":"Unauthorized"}',
    '{"time":1795884600,"timeMs":1795884600123,"message":"nostr aB3dE6 was sent before"}',
    '{"message":"签名错误，请检查参数是否正确，然后重试"}',
    '{"token_type":"bearer","expires_in_second":999999999,"scope":"public"}',
    'Content-Type must be application/json.',
    'Invalid token: expired',
    '{"access_token":null,"token_type":"bearer"}',
  ])('keeps what says why a request failed: %s', (text) => {
    expect(redacted(text)).toBe(text);
  });

  it('hides a number of nine digits, and keeps one of JSON a number', () => {
    expect(redacted('{"a":123456789,"b":"no 123456789"}')).toBe(
      '{"a":999999999,"b":"no [token 1]"}',
    );
    expect(redacted('{"a":-0.123456789e5}')).toBe('{"a":-9.999999999e5}');
  });

  it('hides a public field that holds a token', () => {
    const redactor = new Redactor();
    const token = 'Qw9Zx4mRt8vB2';
    expect(redacted(`{"id_token":"${token}","scope":"${token}"}`, 'token-answer', redactor)).toBe(
      '{"id_token":"[token 1]","scope":"[token 1]"}',
    );
    expect(redacted(`{"scope":"${token.repeat(3)}"}`)).toBe('{"scope":"[token 1]"}');
  });
});

const MEBIBYTE = 1 << 20;

it.each([
  ['fields in each other', '{"token":['.repeat(MEBIBYTE / 10)],
  ['names and values', 'a=a='.repeat(MEBIBYTE / 4)],
  ['names before a token', `${'a='.repeat(MEBIBYTE / 2)}A1=`],
  ['quotes without end', 'token:"token:\''.repeat(MEBIBYTE / 14)],
  ['digits', `${'1'.repeat(MEBIBYTE)}a`],
  ['names', 'token_'.repeat(MEBIBYTE / 6)],
  ['times', '_ : '.repeat(MEBIBYTE / 4)],
])('reads a megabyte of %s', { tags: ['long'] }, (_, text) => {
  expect(redacted(text)).not.toBe('');
});

it('hides in other answers what is named like a token, and nothing else', () => {
  const text = '[{"estimate_id":"Zm9vYmFyYmF6cXV4","access_token":"Qw9Zx4mRt8vB2"}]';
  expect(redacted(text, 'other')).toBe(text.replace('Qw9Zx4mRt8vB2', '[token 1]'));
});

it('hides a code that a client sends, and no code of an error', () => {
  expect(redacted('{"code":"ab12"}', 'sent')).toBe('{"code":"[token 1]"}');
  expect(redacted('{"code":"ab12"}')).toBe('{"code":"ab12"}');
});
