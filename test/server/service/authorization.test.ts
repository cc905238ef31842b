import { describe, expect, it } from 'vitest';
import { identify, parseEstimateAuthorization } from '../../../src/server/service/authorization.ts';
import { Partners } from '../../../src/server/service/state/partners.ts';
import { refusalOf } from '../refusal.ts';

const partners = new Partners();
const demo = partners.add('demo', 'key', false);

/** Headers of another shape than `Bearer <PARTNER_ID>|<SIGN>`. */
const MISSHAPEN = [
  'demo|sign',
  'Bearer',
  'Bearer ',
  'Bearer demo',
  'Bearer |sign',
  'Bearer demo|',
  'Bearer|demo|sign',
  'Token demo|sign',
  'xBearer demo|sign',
  ' Bearer demo|sign',
  'Bearer demo|sign ',
  'Bearer demo|sign|more',
  'Bearer demo|sign more',
  'Bearer de mo|sign',
  'Bearer demo| sign',
];

describe('the Authorization of a token request', () => {
  it.each(['Bearer demo|sign', 'bearer demo|sign', 'BEARER   demo|sign'])('is %s', (header) => {
    expect(identify(header, partners)).toEqual({ partner: demo, signature: 'sign' });
  });

  it.each([...MISSHAPEN, 'Bearer demo|sign openid|token'])('is not %s', (header) => {
    const refusal = refusalOf(() => identify(header, partners));
    expect(refusal).toMatchObject({
      condition: 'authorization-shape',
      detail: { field: 'Authorization', rule: 'token/authorization-shape' },
    });
  });

  it.each([undefined, ''])('is missing: %j', (header) => {
    expect(refusalOf(() => identify(header, partners))).toMatchObject({
      condition: 'authorization-missing',
      detail: { rule: 'token/authorization-required' },
    });
  });

  it.each(['Bearer other|sign', 'Bearer Demo|sign'])('names no partner: %s', (header) => {
    expect(refusalOf(() => identify(header, partners))).toMatchObject({
      condition: 'partner-unknown',
      detail: { rule: 'token/partner-unknown' },
    });
  });
});

describe('the Authorization of an estimate request', () => {
  it.each([
    ['Bearer demo|token', { partnerId: 'demo', signature: null, accessToken: 'token' }],
    ['bearer  demo|token', { partnerId: 'demo', signature: null, accessToken: 'token' }],
    [
      'Bearer demo|sign openid|token',
      { partnerId: 'demo', signature: 'sign', accessToken: 'token' },
    ],
    [
      'BEARER  demo|sign OPENID|token',
      { partnerId: 'demo', signature: 'sign', accessToken: 'token' },
    ],
  ])('is %s', (header, parsed) => {
    expect(parseEstimateAuthorization(header)).toEqual(parsed);
  });

  it.each([
    ...MISSHAPEN,
    'x Bearer demo|sign openid|token',
    'Bearer demo|sign openid|',
    'Bearer demo|sign openid|token more',
    'Bearer demo|sign openid|token|more',
    'Bearer demo|sign  openid|token',
    'Bearer demo|signopenid|token',
    'Bearer demo|sign open|token',
    'Bearer |sign openid|token',
    'Bearer demo| openid|token',
  ])('is not %s', (header) => {
    expect(refusalOf(() => parseEstimateAuthorization(header))).toMatchObject({
      condition: 'authorization-shape',
      detail: { rule: 'auth/scheme' },
    });
  });

  it.each([undefined, ''])('is missing: %j', (header) => {
    expect(refusalOf(() => parseEstimateAuthorization(header))).toMatchObject({
      condition: 'authorization-missing',
      detail: { rule: 'auth/authorization-required' },
    });
  });
});
