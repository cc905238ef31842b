import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { checkSignature } from '../../../src/conformance/signature/check-signature.ts';
import { ALL_FIELDS } from '../../../src/conformance/signature/signing-context.ts';

const md5 = (...parts: readonly (string | Uint8Array)[]): string =>
  hash('md5', Buffer.concat(parts.map((part) => Buffer.from(part as string))));

const partner = { id: 'p-1', signingKey: 'aB3dE6gH9jK2mN5p' };
const { signingKey: key } = partner;
const ride = {
  start_lat: '39.9087',
  start_lng: '116.3975',
  from_name: '天安门 Gate A',
  end_lat: '39.9929',
  end_lng: '116.3106',
  to_name: "Joe's Café / 3 & more",
  imei: '',
  ride_type: 'compact',
};
const query = new URLSearchParams(ride).toString();
const entries = Object.entries(ride);
const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
const filled = sorted.filter(([, value]) => value !== '');
const right = filled.map((pair) => pair.join('=')).join('&');
const twice = (text: string): string => md5(md5(text), key);
const form = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
const ascii = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

it.each([
  ['the query as sent', twice(query), 'query-as-sent'],
  ['the path and the query', twice(`/v1/estimates/prices?${query}`), 'query-as-sent'],
  ['one MD5 of the query and the key', md5(query, key), 'query-as-sent single-md5'],
  [
    'http_build_query without ksort',
    twice(entries.map(([name, value]) => `${name}=${form(value)}`).join('&')),
    'query-as-sent',
  ],
  [
    'http_build_query with ksort, and one MD5',
    md5(sorted.map(([name, value]) => `${name}=${form(value)}`).join('&'), '&key=', key),
    'empty-kept form-encoded single-md5 key-separator-name',
  ],
  [
    'unsorted pairs, with one MD5 and the key first',
    md5(key, entries.map((pair) => pair.join('=')).join('&')),
    'order-unsorted empty-kept single-md5 key-first',
  ],
  [
    'json_encode',
    twice(ascii(JSON.stringify(ride)).replaceAll('/', '\\/')),
    'order-unsorted empty-kept text-as-json-php',
  ],
  ['a text that nothing explains', hash('md5', 'other'), ''],
  ['the whole line of md5sum', md5(md5(right), '  -', key), 'inner-md5sum'],
  [
    'echo in place of printf',
    md5(md5(right, '\n'), key, '\n'),
    'text-with-line-feed key-with-line-feed',
  ],
  ['a hash that is not reset', md5(right, md5(right), key), 'digest-not-reset'],
  ['Sum of Go', md5(Buffer.from(right).toString('hex'), md5(''), key), 'digest-appended'],
  ["Python's bytes", md5(`b'${md5(right)}'`, key), 'inner-as-printed'],
  ['a text that is cut', twice(right.slice(0, -1)), 'text-cut'],
  ['the token before the terms', twice(`at-1${right}`), 'text-with-other-text'],
])('explains the signature of %s', (_, signature, mistakes) => {
  const diagnosis = checkSignature({
    kind: 'estimate',
    partner,
    signature,
    pairs: ride,
    queryText: query,
    token: 'at-1',
    earlier: { _: [], nostr: [] },
    signedFields: ALL_FIELDS,
  });
  expect(diagnosis?.mistakes.map(({ id }) => id).join(' ')).toBe(mistakes);
});
