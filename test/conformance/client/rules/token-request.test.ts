import { expect, it } from 'vitest';
import {
  estimate,
  expectJudgement,
  judge,
  type RuleCase,
  tokenRequest,
  tokens,
  userToken,
} from '../client-traffic.ts';

it.each<RuleCase>([
  [
    'client/path-version',
    [tokenRequest('a')],
    [tokenRequest('a', { target: '/oauth/token' })],
    /oauth/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

it.each(['GET', 'HEAD'])('ignores a %s of the health check', (method) => {
  const traffic = [estimate('a', { target: '/healthz', method })];
  expect(judge('client/path-version', traffic)).toMatchObject({ got: [], judged: 0 });
});

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

it.each<RuleCase>([
  [
    'client/timestamp-iso8601',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { _: '1772452800' } })],
    /1772452800/,
  ],
  [
    'client/timestamp-fresh',
    [tokenRequest('a', { fields: { _: '2026-03-02T20:09:59+08:00' } })],
    [tokenRequest('a', { fields: { _: '2026-03-02T20:00:00' } })],
    /ahead; without a zone/,
  ],
  [
    'client/nostr',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 'a1B2c3d' } })],
    /a1B2c3d/,
  ],
  [
    'client/nostr',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 'a1B2c-' } })],
    /a1B2c-/,
  ],
  [
    'client/nostr-random',
    tokens(2),
    tokens(2, (at) => ({ at, fields: { nostr: 'a1B2c3' } })),
    /second time/,
  ],
  [
    'client/scope-known',
    [userToken('a')],
    [tokenRequest('a', { fields: { scope: 'public,rides.read' } })],
    /public,rides/,
  ],
  [
    'client/scope-on-behalf',
    [userToken('a')],
    [userToken('a', { fields: { scope: 'public' } })],
    /rides.read, rides.request/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});
