import { expect, it } from 'vitest';
import { type ProfileWithSecrets, Redactor } from '../../src/redaction/index.ts';
import { LOOPBACK_TLS } from '../support/loopback-certificate.ts';

const KEY_LINE = LOOPBACK_TLS.key.split('\n')[1] ?? '';

const PROFILE: ProfileWithSecrets = {
  name: 'staging of the service',
  baseUrl: 'https://kim:p%40ss@fares.example/prefix',
  partners: [
    { id: 'p-100-of-kim', signingKey: 'key1', authCodes: ['cod1', 'cod2'], accessToken: 'tok1' },
    { id: 'p-200-of-kim', signingKey: 'key2' },
  ],
  headers: {
    'X-Api-Key': 'api1',
    Authorization: 'Bearer bea1',
    'Proxy-Authorization': `Basic ${Buffer.from('kim:bas1').toString('base64')}`,
    Cookie: 'sid=sid1; theme="the1"',
    Accept: 'application/json',
  },
  control: { url: 'http://ctl1@127.0.0.1:9100', token: 'con1' },
  tls: { key: LOOPBACK_TLS.key },
  estimates: { plain: { product_type: 'private-car', from_name: 'Tiananmen-of-kim' } },
};

it.each([
  ['a signing key', 'key1'],
  ['the signing key of another partner', 'key2'],
  ['an auth code', 'cod2'],
  ['an access token', 'tok1'],
  ['the value of a header', 'api1'],
  ['a credential after its scheme', 'bea1'],
  ['the password of Basic credentials', 'bas1'],
  ['the value of a cookie', 'sid1'],
  ['a quoted value of a cookie', 'the1'],
  ['the password of an address', 'p@ss'],
  ['the password of an address as it is written', 'p%40ss'],
  ['the user of an address', 'ctl1'],
  ['the token of the control API', 'con1'],
  ['a line of a private key', KEY_LINE],
  ['a part of a line of a private key', KEY_LINE.slice(20, 30)],
])('%s is a secret, however short', (_, secret) => {
  const redactor = new Redactor();
  redactor.addProfile(PROFILE);
  expect(redactor.redact(`no <${secret}> here`)).toMatch(/^no <\[[^<>]*\]> here$/);
});

it('everything else of a profile is none', () => {
  const redactor = new Redactor();
  redactor.addProfile(PROFILE);
  for (const text of [
    'staging of the service https://fares.example/prefix http://127.0.0.1:9100',
    'p-100-of-kim p-200-of-kim Tiananmen-of-kim private-car',
    'X-Api-Key Authorization Bearer Basic Cookie sid theme application/json',
    '-----BEGIN PRIVATE KEY-----',
  ]) {
    expect(redactor.redact(text)).toBe(text);
  }
});
