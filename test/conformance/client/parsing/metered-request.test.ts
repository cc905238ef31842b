import { expect, it } from 'vitest';
import { meteredRequest } from '../../../../src/conformance/index.ts';

const ALL = ['platform', 'user', 'refresh'];
const TOKEN = '/v1/oauth/token';
const BEARER = 'Bearer p|0123456789abcdef0123456789abcdef';

const costOf = (target: string, authorization: string | null, body = '', method = 'POST') =>
  meteredRequest(
    {
      method,
      target,
      headers: authorization === null ? {} : { authorization },
      body: Buffer.from(body),
      receivedMs: 0,
    },
    ['p', 'q'],
  );

it.each([
  [TOKEN, BEARER, '{"grant_type":"client_credentials"}', 'p', ['platform']],
  [TOKEN, BEARER, '{"grant_type":"refresh_token"}', 'p', ['refresh']],
  [TOKEN, BEARER, 'grant_type=authorization_code&auth_code=c', 'p', ['user']],
  [TOKEN, BEARER, '{"grant_type":"password"}', 'p', ALL],
  [TOKEN, BEARER, 'not JSON', 'p', ALL],
  // A target may read what the interface does not show.
  [`${TOKEN}/`, 'bearer  p |x', '{"grant_type":"refresh_token"}', 'p', ['refresh']],
  ['/v1/estimates/../oauth/token', 'Basic x|y', '', 'x', ALL],
  [TOKEN, 'q', '{}', 'q', ALL],
])('%s of %j with the body %j may count', (target, authorization, body, partnerId, kinds) => {
  expect(costOf(target, authorization, body)).toMatchObject({ partnerId, kinds });
});

it('names the auth code that is used up', () => {
  const body = '{"grant_type":"authorization_code","auth_code":"c"}';
  expect(costOf(TOKEN, BEARER, body)?.authCode).toBe('c');
  expect(costOf(TOKEN, BEARER, '{"auth_code":5}')?.authCode).toBeUndefined();
});

it.each([
  ['/v1/estimates/prices?start_lat=1', BEARER, 'GET'],
  ['/healthz', BEARER, 'GET'],
  [TOKEN, null, 'POST'],
  [TOKEN, 'Bearer', 'POST'],
])('%s of %j costs nothing', (target, authorization, method) => {
  expect(costOf(target, authorization, '', method)).toBeNull();
});
