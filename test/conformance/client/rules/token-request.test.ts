import { it } from 'vitest';
import { expectJudgement, type RuleCase, tokenRequest, userToken } from '../client-traffic.ts';

it.each<RuleCase>([
  ['client/token-method', [tokenRequest('a')], [tokenRequest('a', { method: 'PUT' })], /PUT/],
  [
    'client/token-method',
    [tokenRequest('a')],
    [tokenRequest('a', { target: '/v1/token' })],
    /v1\/token/,
  ],
  [
    'client/token-content-type',
    [tokenRequest('a', { headers: { 'content-type': 'application/json; charset=utf-8' } })],
    [tokenRequest('a', { headers: { 'content-type': 'text/plain' } })],
    /text\/plain/,
  ],
  [
    'client/token-content-type',
    [tokenRequest('a')],
    [tokenRequest('a', { body: 'grant_type=client_credentials' })],
    /not a JSON object/,
  ],
  [
    'client/token-authorization',
    [tokenRequest('a')],
    [tokenRequest('a', { headers: { authorization: 'Basic p-1:x' } })],
    /scheme Basic, no \|/,
  ],
  [
    'client/token-authorization',
    [tokenRequest('a')],
    [tokenRequest('a', { headers: { authorization: `Bearer p-2|${'0'.repeat(32)}` } })],
    /partner id "p-2"/,
  ],
  [
    'client/grant-fields',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: undefined } })],
    /without nostr/,
  ],
  [
    'client/grant-fields',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 123456 } })],
    /nostr is a number/,
  ],
  [
    'client/grant-fields',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { grant_type: 'x' } })],
    /grant_type is "x"/,
  ],
  [
    'client/grant-fields',
    [userToken('a')],
    [userToken('a', { fields: { auth_code: undefined } })],
    /auth_code/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});
