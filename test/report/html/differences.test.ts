import { expect, test } from 'vitest';
import type { Exchange } from '../../../src/documents/exchange.ts';
import { differencesOf } from '../../../src/report/html/evidence/differences.ts';

let count = 0;

/** A token request with its own time, random string, signature and partner, as each has. */
function request(changes: Record<string, unknown> = {}, over: Partial<Exchange['request']> = {}) {
  count += 1;
  const [time, nostr, partner] = [`2026-01-01T00:00:0${count}Z`, `nostr${count}`, `p-${count}`];
  const body = { _: time, grant_type: 'client_credentials', nostr, ...changes };
  return {
    partnerId: partner,
    request: {
      method: 'POST',
      url: 'http://127.0.0.1/v1/oauth/token',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${partner}|[signature ${count}]`,
      },
      body: JSON.stringify(body),
      ...over,
    },
    made: {
      [time]: { is: 'time' },
      [nostr]: { is: 'nostr' },
      [`[signature ${count}]`]: { is: 'signature' },
    },
  } as unknown as Exchange;
}

test('two requests of the same kind do not differ, whatever their time and signature', () => {
  expect(differencesOf(request(), request())).toEqual({ names: [], texts: [] });
});

test('the field that differs is named, and its text is that of the request', () => {
  expect(differencesOf(request({ grant_type: 'CLIENT_CREDENTIALS' }), request())).toEqual({
    names: ['grant_type'],
    texts: ['"grant_type":"CLIENT_CREDENTIALS"'],
  });
  expect(differencesOf(request({ scope: '' }), request()).names).toEqual(['scope']);
});

test('a field that was left out is named, and nothing is marked', () => {
  expect(differencesOf(request({ nostr: undefined }), request())).toEqual({
    names: ['nostr (left out)'],
    texts: [],
  });
});

test('the order of fields, a header, a parameter and a body that is no JSON are told', () => {
  const reversed = request();
  const pairs = Object.entries(JSON.parse(reversed.request.body ?? '{}') as object).toReversed();
  const body = JSON.stringify(Object.fromEntries(pairs));
  const names = (exchange: Exchange): readonly string[] => differencesOf(exchange, request()).names;
  expect(names({ ...reversed, request: { ...reversed.request, body } })).toEqual([
    'the order of the fields',
  ]);
  expect(names(request({}, { url: 'http://127.0.0.1/v1/oauth/token?a=1' }))).toEqual(['a']);
  expect(names(request({}, { headers: {} }))).toEqual([
    'content-type (left out)',
    'authorization (left out)',
  ]);
  expect(names(request({}, { body: 'a=b' }))).toContain('body');
});
