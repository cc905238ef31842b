import { expect, it } from 'vitest';
import {
  estimate,
  judge,
  KNOWN_PARTNER,
  query,
  tokenRequest,
  userToken,
} from '../client-traffic.ts';

const KEY = KNOWN_PARTNER.signingKey;
const IN_PLACE = 'client/secrets-in-place';
const NEVER = 'client/key-never-sent';

it('finds no secret where each stands in its place', () => {
  const traffic = [userToken('a'), tokenRequest('b'), estimate('b')];
  expect(judge(NEVER, traffic)).toMatchObject({ got: [], judged: 3 });
  expect(judge(IN_PLACE, traffic)).toMatchObject({ got: [], judged: 3 });
});

it.each([
  ['a header', { headers: { 'x-app-key': KEY } }, 'the signing key in the header x-app-key'],
  ['the body', { fields: { key: KEY } }, 'the signing key in the body'],
  ['Base64', { fields: { key: Buffer.from(`id:${KEY}`).toString('base64') } }, 'the body'],
  ['hex', { headers: { cookie: Buffer.from(KEY).toString('hex') } }, 'a cookie'],
  ['the address', { target: `/v1/oauth/token?key=${encodeURIComponent(KEY)}` }, 'the address'],
  ['Authorization', { headers: { authorization: `Bearer p-1|${KEY}` } }, 'header authorization'],
])('finds the signing key in %s', (_place, twist, words) => {
  const { got } = judge(NEVER, [tokenRequest('a', twist)]);
  expect(got).toEqual([expect.stringContaining(words)]);
});

it.each([
  [
    'an address',
    { target: query({ access_token: 'access-a' }) },
    /the access token in the address/,
  ],
  ['a cookie', { headers: { cookie: 'sid=refresh-a' } }, /the refresh token in a cookie/],
  [
    'another header',
    { headers: { 'x-token': 'access-a' } },
    /the access token in the header x-token/,
  ],
])('finds a token in %s', (_place, twist, words) => {
  const { got } = judge(IN_PLACE, [tokenRequest('a'), estimate('a', twist)]);
  expect(got.join()).toMatch(words);
});

it('takes a part of the key, and a text that is no secret, for none', () => {
  const headers = { 'x-part': KEY.slice(0, 12), 'x-text': 'access-z' };
  const traffic = [tokenRequest('a', { headers })];
  expect([judge(NEVER, traffic).got, judge(IN_PLACE, traffic).got]).toEqual([[], []]);
});
