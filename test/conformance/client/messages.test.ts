import { expect, it } from 'vitest';
import {
  certificateFacts,
  issueCertificate,
  scopeOf,
} from '../../../src/conformance/client/certificate.ts';
import type { ConformanceDocument } from '../../../src/documents/conformance.ts';
import {
  estimate,
  judge,
  KNOWN_PARTNER,
  outcomeOf,
  query,
  refresh,
  tokenRequest,
} from './client-traffic.ts';

it('names an access_token in the place of a signature', () => {
  const authorization = `Bearer ${KNOWN_PARTNER.id}|access-a`;
  const [got] = judge('client/signature', [
    tokenRequest('a'),
    refresh('a', 'b', { at: 9, headers: { authorization } }),
  ]).got;
  expect(got).toContain('an access_token stands in its place');
});

it('names the two parts of Authorization where they were exchanged', () => {
  const authorization = `Bearer openid|access-a ${KNOWN_PARTNER.id}|${'0'.repeat(32)}`;
  const { got } = judge('client/estimate-authorization', [
    tokenRequest('a'),
    estimate('a', { headers: { authorization } }),
  ]);
  expect(got).toEqual(['the two parts exchanged: openid|TOKEN before ID|SIGN']);
});

it('names the redirect that turned a POST into a GET', () => {
  const { got } = judge('client/token-method', [
    tokenRequest('a', { status: 302 }),
    tokenRequest('b', { at: 9, method: 'GET' }),
  ]);
  expect(got.join()).toMatch(/^GET \/v1\/oauth\/token, after x1 was answered with 302/);
});

it.each([
  ['2026-03-02T13:00', 0, 0],
  ['2026-03-02', 0, 0],
  ['1772456400', 0, 0],
  ['1772100000', 0, 1],
  ['1772456400000', 1, 0],
  ['soon', 1, 0],
])('judges the departure time %s', (time, wrong, doubtful) => {
  const traffic = [tokenRequest('a'), estimate('a', { target: query({ departure_time: time }) })];
  const { violations, warnings = [] } = outcomeOf('client/departure-time', traffic);
  expect([violations.length, warnings.length]).toEqual([wrong, doubtful]);
});

it.each([
  ['undefined', 1],
  ['null', 1],
  ['[object Object]', 1],
  ['None', 0],
  ['Null Island', 0],
])('judges the name %s', (name, count) => {
  const traffic = [tokenRequest('a'), estimate('a', { target: query({ to_name: name }) })];
  expect(judge('client/estimate-parameters', traffic).got).toHaveLength(count);
});

it.each([
  ['public  profile', 1],
  ['public profile', 0],
])('warns of spaces in "%s"', (scope, count) => {
  const { warnings } = outcomeOf('client/scope-known', [tokenRequest('a', { fields: { scope } })]);
  expect(warnings).toHaveLength(count);
});

it('says on a certificate what was warned of, repeated or not exercised', () => {
  const document = {
    tool: { name: 'fareproof', version: '1.0.0' },
    rules: [{ id: 'client/retry-paced', verdict: 'warn' }],
    scenarios: [
      { name: 'ban', earlier: [{}] },
      { name: 'texts', notExercised: ['texts'] },
    ],
  } as unknown as ConformanceDocument;
  const certificate = issueCertificate({}, '2026-03-02T12:00:00Z', null);
  const facts = certificateFacts(certificate, scopeOf(document));
  expect(facts).toContainEqual(['warnings', 'client/retry-paced']);
  expect(facts).toContainEqual(['not exercised', 'texts']);
  expect(facts).toContainEqual(['attempts', 'ban (2)']);
  expect(facts).toContainEqual(['key of the issuer', 'UNSIGNED']);
  const whole = { ...document, rules: [], scenarios: [] } as unknown as ConformanceDocument;
  const clean = certificateFacts(certificate, scopeOf(whole));
  expect(clean).toContainEqual(['warnings', 'none']);
  expect(clean).toContainEqual(['not exercised', 'nothing']);
});
