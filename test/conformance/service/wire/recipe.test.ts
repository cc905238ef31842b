import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../../src/conformance/seeded-random.ts';
import { Evidence } from '../../../../src/conformance/service/wire/evidence.ts';
import {
  filled,
  type Given,
  noteTokens,
  recipeOf,
} from '../../../../src/conformance/service/wire/recipe.ts';
import { Stamp } from '../../../../src/conformance/service/wire/time-form.ts';
import type { Made } from '../../../../src/documents/exchange.ts';

const NOW = Date.UTC(2026, 2, 2, 12);

const sources = () => ({
  clock: { now: () => NOW },
  stamp: new Stamp(),
  random: new SeededRandom(1),
  given: new Map() as Given,
  evidence: new Evidence(),
});

describe('the recipe of a request', () => {
  it('names its times, with their age and form', () => {
    const made = sources();
    const fields = { _: made.stamp.textOf(NOW - 600_000, 'as an HTTP date') };
    expect(recipeOf({ purpose: '', fields }, made)).toEqual({
      'Mon, 02 Mar 2026 11:50:00 GMT': {
        is: 'time',
        secondsAgo: 600,
        form: 'as an HTTP date',
      },
    });
    const plain = { _: made.stamp.textOf(NOW) };
    expect(recipeOf({ purpose: '', fields: plain }, made)).toEqual({
      '2026-03-02T12:00:00Z': { is: 'time' },
    });
    const query = { departure_time: String(NOW / 1000 + 3600) };
    expect(recipeOf({ purpose: '', query, accessToken: '' }, made)).toEqual({
      '1772456400': { is: 'time', secondsAgo: -3600, form: 'in Unix seconds' },
    });
  });

  it.each([['now'], [0], [true], ['1970-01-01T00:00:00Z']])(
    'keeps a _ that is no time of its own: %s',
    (_) => {
      expect(recipeOf({ purpose: '', fields: { _ } }, sources())).toEqual({});
    },
  );

  it('names a nostr that was made for it, unless another one was signed', () => {
    const made = sources();
    const nostr = made.random.nostr();
    const fields = { nostr };
    const signed = (text: string) => ({ signature: 's', text });
    expect(recipeOf({ purpose: '', fields }, made)).toEqual({ [nostr]: { is: 'nostr' } });
    expect(recipeOf({ purpose: '', fields }, made, signed(`nostr=${nostr}`))).toHaveProperty(nostr);
    expect(recipeOf({ purpose: '', fields }, made, signed('nostr=x'))).not.toHaveProperty(nostr);
    const short = { nostr: made.random.nostr(5) };
    expect(recipeOf({ purpose: '', fields: short }, made)).toEqual({});
  });

  it('names the exchange that brought a token, but for one that was only repeated', () => {
    const made = sources();
    const fields = { refresh_token: 'refresh-1' };
    made.evidence.redactor.add('refresh_token', 'refresh-1');
    const answer = { exchange: 'x3', accessToken: 'access-1', refreshToken: 'refresh-1' };
    noteTokens(made.given, { purpose: '', fields }, answer);
    expect(recipeOf({ purpose: '', fields }, made)).toEqual({
      'refresh-1': { is: 'refresh_token' },
    });
    expect(recipeOf({ purpose: '', query: {}, accessToken: 'access-1' }, made)).toEqual({
      'access-1': { is: 'access_token', from: 'x3' },
    });
    // Too short to be hidden: the document shows it.
    made.evidence.redactor.add('refresh_token', '%');
    expect(recipeOf({ purpose: '', fields: { refresh_token: '%' } }, made)).toEqual({});
  });
});

describe('a stored recipe', () => {
  const stored = (authorization: string, made: Made, secrets: readonly string[]) => {
    const evidence = new Evidence();
    for (const secret of secrets) evidence.redactor.add('access_token', secret);
    const request = { method: 'GET', url: 'http://a/', headers: { authorization }, body: null };
    const label = { purpose: '', partnerId: 'p-1', made };
    const error = { code: 'CONNECTION_BROKEN', message: '' } as const;
    evidence.record('x1', label, request, { response: null, error }, { atMs: NOW, durationMs: 1 });
    return evidence.exchanges[0]?.made;
  };
  const TOKEN = 'a-token-that-nobody-may-see';

  it('has no secret', () => {
    const made: Made = { [TOKEN]: { is: 'access_token', from: 'x0' } };
    expect(stored(`Bearer p-1|${TOKEN}`, made, [TOKEN])).toEqual({
      '[access_token 1]': { is: 'access_token', from: 'x0' },
    });
  });

  it('is left out where it does not bring back what was sent', () => {
    const made: Made = { [TOKEN]: { is: 'access_token', from: 'x0' } };
    expect(stored(`Bearer p-1|${TOKEN.slice(0, 20)}`, made, [TOKEN])).toBeUndefined();
    expect(stored(`Bearer p-1|${TOKEN}`, {}, [TOKEN])).toBeUndefined();
  });
});

it('values are filled in plain or URL-encoded, and only where they stand', () => {
  const texts = {
    url: 'http://a/?_=12%3A00',
    body: '{"_":"12:00"}',
    authorization: 'Bearer p-1|[signature 1]',
    signed: null,
  };
  const values = [
    ['12:00', '13:$&'],
    ['', 'nothing'],
  ] as const;
  expect(filled(texts, values)).toEqual({
    ...texts,
    url: 'http://a/?_=13%3A%24%26',
    body: '{"_":"13:$&"}',
  });
});

it.each([
  [[['p-1', 'p-15']], 'Bearer p-15|a p-15'],
  [
    [
      ['p-1', 'q-2'],
      ['q-2', 'p-1'],
    ],
    'Bearer q-2|a q-2',
  ],
  [
    [
      ['p-1', 'x'],
      ['p-1|a', 'y$&'],
    ],
    'Bearer y$& x',
  ],
] as const)('fills in values at once, whatever texts they contain (%j)', (values, expected) => {
  const authorization = 'Bearer p-1|a p-1';
  const texts = { url: '', body: null, authorization, signed: null };
  expect(filled(texts, values).authorization).toBe(expected);
});
