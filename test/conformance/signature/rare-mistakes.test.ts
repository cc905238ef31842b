import { createHmac, hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  checkSignature,
  diagnoseSignature,
} from '../../../src/conformance/signature/check-signature.ts';
import { rareMistakes } from '../../../src/conformance/signature/mistakes/rare.ts';
import { DOCUMENTED_RECIPE, signBy } from '../../../src/conformance/signature/recipe.ts';
import { ALL_FIELDS } from '../../../src/conformance/signature/signing-context.ts';

const md5 = (text: string | Uint8Array): string => hash('md5', text);

const partner = { id: 'p-1', signingKey: 'aB3dE6gH9jK2mN5p' };
const { signingKey: key } = partner;
const ride = {
  start_lat: '39.9087',
  start_lng: '116.3975',
  from_name: '天安门 Gate A',
  end_lat: '39.9929',
  end_lng: '116.3106',
  to_name: "Joe's Café / 3 & more",
  ride_type: 'compact',
  departure_time: '1795392001',
};
const token = {
  grant_type: 'authorization_code',
  auth_code: 'code-1',
  scope: 'public rides.read rides.request',
  _: '2026-03-01T00:30:00.123Z',
  nostr: 'a1B2c3',
};
type Fields = Readonly<Record<string, string>>;

/** The text to sign, written apart from the checker. */
function textOf(
  fields: Fields,
  value: (text: string, name: string) => string = (text) => text,
): string {
  return Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `${name}=${value(text, name)}`)
    .join('&');
}
const inner = (text: string): string => md5(md5(text) + key);
const ofRide = (value: (text: string, name: string) => string): string =>
  inner(textOf(ride, value));
const ofToken = (value: (text: string, name: string) => string): string =>
  inner(textOf(token, value));

const right = inner(textOf(token));
const bytes = Buffer.from(right, 'hex');

function mistakesIn(pairs: Fields, signature: string): string[] {
  const kind = 'grant_type' in pairs ? 'token' : 'estimate';
  const earlier = { _: [token._], nostr: [token.nostr] };
  const context = { token: 'at-1', earlier, signedFields: ALL_FIELDS };
  const others = { origin: 'http://127.0.0.1:8080', keysOfOthers: ['another key'] };
  const diagnosis = checkSignature({ kind, partner, signature, pairs, ...context, ...others });
  return diagnosis?.mistakes.map(({ id }) => id) ?? [];
}

describe('the diagnosis of a signature', () => {
  it.each([
    ['encodes values by encodeURI', ofRide(encodeURI), 'url-encoded-as-uri'],
    [
      'escapes values as JSON',
      ofRide((one) =>
        JSON.stringify(one)
          .slice(1, -1)
          .replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
      ),
      'values-unicode-escaped',
    ],
    [
      'escapes quotation marks for HTML',
      ofRide((one) => one.replaceAll('&', '&amp;').replaceAll("'", '&#039;')),
      'values-html-quotes',
    ],
    [
      'drops what is beyond ASCII',
      ofRide((one) => one.replace(/[^\0-\x7f]/g, '')),
      'beyond-ascii-removed',
    ],
    [
      'begins one value with a capital letter',
      ofRide((one, name) => (name === 'ride_type' ? 'Compact' : one)),
      'values-capitalized',
    ],
    [
      'covers the name of a constant',
      ofRide((one, name) => (name === 'ride_type' ? 'COMPACT' : one)),
      'values-upper-case',
    ],
    ['encodes UTF-8 twice', ofRide((one) => Buffer.from(one).toString('latin1')), 'utf-8-twice'],
    [
      'writes two decimals',
      ofRide((one, name) => (name.includes('_l') ? Number(one).toFixed(2) : one)),
      'decimals-fixed',
    ],
    [
      'cuts decimals',
      ofRide((one, name) => (name.includes('_l') ? `${Math.trunc(Number(one))}` : one)),
      'decimals-truncated',
    ],
    [
      'takes the departure in ms',
      ofRide((one, name) => (name === 'departure_time' ? `${one}000` : one)),
      'other-value:departure_time',
    ],
    [
      'covers the coordinates only',
      inner(
        textOf(Object.fromEntries(Object.entries(ride).filter(([name]) => name.includes('_l')))),
      ),
      'fields-missing',
    ],
    [
      'exchanges start and end',
      inner(
        textOf({
          ...ride,
          start_lat: ride.end_lat,
          start_lng: ride.end_lng,
          from_name: ride.to_name,
          end_lat: ride.start_lat,
          end_lng: ride.start_lng,
          to_name: ride.from_name,
        }),
      ),
      'values-exchanged',
    ],
    [
      'includes the time of its token request',
      inner(textOf({ ...ride, _: token._ })),
      'extra-field:_',
    ],
    [
      'writes names in camel case',
      inner(
        textOf(
          Object.fromEntries(
            Object.entries(ride).map(([name, one]) => [
              name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
              one,
            ]),
          ),
        ),
      ),
      'names-camel-case',
    ],
    [
      'prints a map as Java does',
      inner(`{${textOf(ride).replaceAll('&', ', ').replace('3 ,  more', '3 & more')}}`),
      'java-map',
    ],
    [
      'hashes the low bytes',
      md5(md5(Buffer.from(textOf(ride), 'latin1')) + key),
      'charset-low-bytes',
    ],
  ] as const)('of an estimate names one that %s', (_words, signature, id) => {
    expect(mistakesIn(ride, signature)).toEqual([id]);
  });

  it.each([
    ['joins by commas and spaces', inner(textOf(token).replaceAll('&', ', ')), 'joint-other'],
    ['starts with a question mark', inner(`?${textOf(token)}`), 'text-with-question-mark'],
    ['ends with a space', inner(`${textOf(token)} `), 'text-with-ending'],
    [
      'covers time and nostr only',
      inner(textOf({ _: token._, nostr: token.nostr })),
      'fields-missing',
    ],
    [
      'signs local time',
      ofToken((one, name) => (name === '_' ? '2026-03-01T08:30:00.123+08:00' : one)),
      'other-value:_',
    ],
    [
      'signs the time with a space',
      ofToken((one, name) => (name === '_' ? one.replace('T', ' ') : one)),
      'other-value:_',
    ],
    [
      'signs the first scope',
      ofToken((one, name) => (name === 'scope' ? 'public' : one)),
      'other-value:scope',
    ],
    ['includes the method', inner(`POST&${textOf(token)}`), 'path-included'],
    [
      'includes the address',
      inner(`http://127.0.0.1:8080/v1/oauth/token?${textOf(token)}`),
      'path-included',
    ],
    [
      'includes the id as appid',
      inner(textOf({ ...token, appid: partner.id })),
      'extra-field:appid',
    ],
    [
      'puts the id before the key',
      md5(md5(textOf(token)) + partner.id + key),
      'key-with-other-text',
    ],
    ['takes the auth code for the key', md5(md5(textOf(token)) + token.auth_code), 'other-key'],
    [
      "takes another partner's key",
      md5(`${md5(textOf(token))}another key`),
      'key-of-another-partner',
    ],
    ['has no key', md5(`${md5(textOf(token))}undefined`), 'key-undefined'],
    ['cuts the key by one', md5(md5(textOf(token)) + key.slice(0, -1)), 'key-cut'],
    [
      'has the key in Base64',
      md5(md5(textOf(token)) + Buffer.from(key).toString('base64')),
      'key-in-base64',
    ],
    ['hashes by SHA-1 outside', hash('sha1', md5(textOf(token)) + key), 'sha1-outside'],
    ['hashes by SHA-256 inside', md5(hash('sha256', textOf(token)) + key), 'sha256-inside'],
    [
      'is an HMAC-SHA-512',
      createHmac('sha512', key).update(textOf(token)).digest('hex'),
      'hmac-sha512',
    ],
    [
      'hashes pairs run together between keys',
      md5(key + textOf(token).replace(/[=&]/g, '') + key),
      'terms-run-together single-md5 key-both-ends',
    ],
    [
      'is in Base64 without =',
      bytes.toString('base64').replace(/=+$/, ''),
      'signature-base64-unpadded',
    ],
    ['is the last half', right.slice(16), 'signature-last-half'],
    ['is cut by one', right.slice(0, -1), 'signature-cut'],
    ['has dashes', right.toUpperCase().replace(/..(?!$)/g, '$&-'), 'signature-with-dashes'],
    ['is a decimal number', BigInt(`0x${right}`).toString(), 'signature-decimal'],
  ] as const)('of a token request names one that %s', (_words, signature, ids) => {
    expect(mistakesIn(token, signature).join(' ')).toBe(ids);
  });

  it.each([
    ['\r\n', '\n'],
    ['\n', '\r\n'],
  ])('names line breaks that were %j as sent and %j as signed', (sent, signed) => {
    const made = (breaks: string): Fields => ({ ...ride, to_name: `Gate 2${breaks}South` });
    expect(mistakesIn(made(sent), inner(textOf(made(signed))))).toEqual(['line-breaks']);
  });

  it('advises to generate only once what is made anew for each request', () => {
    const adviceFor = (name: keyof typeof token, other: string): string[] => {
      const signature = inner(textOf({ ...token, [name]: other }));
      const otherValues = { [name]: [other] };
      const found = diagnoseSignature(token, key, signature, { otherValues }, 'combined');
      return found.verdict === 'explained' ? found.mistakes.map(({ advice }) => advice) : [];
    };
    expect(adviceFor('nostr', 'zzzzzz')).toEqual([
      'Generate "nostr" once; sign and send the same text.',
    ]);
    expect(adviceFor('scope', 'rides.own')).toEqual(['Sign "scope" as it is sent.']);
  });

  it('names what produces the signature, for each rare mistake', { tags: ['long'] }, () => {
    const pairs = { ...ride, memo: '', tags: ['b', 'a/b'], count: 1 };
    const sent = Object.entries(pairs);
    for (const mistake of rareMistakes(key, { otherTexts: ['p-1'] })) {
      const made = signBy(mistake.apply(DOCUMENTED_RECIPE), sent, key);
      const { signature: documented } = signBy(DOCUMENTED_RECIPE, sent, key);
      if (made.signature === documented || mistake.id === 'fields-missing') continue;
      const context = { otherTexts: ['p-1'] };
      const found = diagnoseSignature(pairs, key, made.signature, context, 'combined');
      expect({ id: mistake.id, ...found }).toMatchObject({
        id: mistake.id,
        verdict: 'explained',
        signedText: made.signedText,
      });
    }
  });
});
