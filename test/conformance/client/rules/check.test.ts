import { describe, expect, it } from 'vitest';
import {
  everyRequest,
  groupBy,
  isPath,
  quoted,
  repeats,
} from '../../../../src/conformance/client/rules/check.ts';
import { trafficOf } from '../../../../src/conformance/client/traffic/traffic.ts';
import { estimate, observe, tokenRequest } from '../client-traffic.ts';

describe('isPath', () => {
  it.each([
    ['/v1/oauth/token', true],
    ['/v2/oauth/token', true],
    ['/v17/oauth/token', true],
    ['/oauth/token', true],
    ['/v1.0/oauth/token', true],
    ['/api/v1/oauth/token', true],
    ['/v1/oauth/token/', false],
    ['/v1/api/oauth/token', false],
    ['/api/oauth/tokens', false],
    ['', false],
  ])('of %s is %s', (path, expected) => {
    expect(isPath(path, '/v1/oauth/token')).toBe(expected);
  });
});

describe('quoted', () => {
  it('shows a value as JSON, cut after 120 characters', () => {
    expect(quoted(undefined)).toBe('nothing');
    expect(quoted(null)).toBe('null');
    expect(quoted('a"b')).toBe(String.raw`"a\"b"`);
    expect(quoted('x'.repeat(118))).toBe(`"${'x'.repeat(118)}"`);
    expect(quoted('x'.repeat(119))).toBe(`"${'x'.repeat(116)}...`);
  });
});

describe('groupBy', () => {
  it('keeps the order of items, and of the first of each key', () => {
    const groups = groupBy(['b1', 'a1', 'b2', 'a2'], (item) => item[0]);
    expect([...groups]).toEqual([
      ['b', ['b1', 'b2']],
      ['a', ['a1', 'a2']],
    ]);
  });
});

describe('repeats', () => {
  it('names each item whose key came before, after the first with it', () => {
    const found = repeats(['a1', 'b1', 'a2', 'a3', 'c1'], (item) => item.charAt(0));
    expect(found).toEqual([
      ['a1', 'a2'],
      ['a1', 'a3'],
    ]);
  });
});

describe('everyRequest', () => {
  const exchanges = [tokenRequest('a'), tokenRequest('b', { at: 1 }), estimate('a', { at: 2 })];
  const traffic = trafficOf(observe(exchanges), null, true);
  const rule = { expected: 'good', passed: 'all good', fault: () => null };

  it('judges the requests of a kind, or of any', () => {
    const judged = (kind: 'token' | 'estimate' | null): number =>
      everyRequest('client/nostr', kind, rule).judge(traffic).judged.length;
    expect([judged('token'), judged('estimate'), judged(null)]).toEqual([2, 1, 3]);
  });

  it('judges only requests that the rule applies to', () => {
    const where = ({ receivedMs }: { receivedMs: number }): boolean => receivedMs % 2 === 1;
    const outcome = everyRequest('client/nostr', 'token', { ...rule, where }).judge(traffic);
    expect(outcome.judged).toEqual([traffic.requests[1]?.id]);
  });

  it('names the request, the expectation and the fault', () => {
    const fault = ({ id }: { id: string }) => (id === traffic.requests[0]?.id ? 'bad' : null);
    const outcome = everyRequest('client/nostr', 'token', { ...rule, fault }).judge(traffic);
    const exchange = traffic.requests[0]?.id;
    expect(outcome.violations).toEqual([{ exchange, expected: 'good', got: 'bad' }]);
    expect(outcome).not.toHaveProperty('warnings');
  });

  it('warns of doubts', () => {
    const outcome = everyRequest('client/nostr', 'estimate', { ...rule, doubt: () => 'odd' }).judge(
      traffic,
    );
    expect(outcome.violations).toEqual([]);
    expect(outcome.warnings).toEqual([
      { exchange: traffic.requests[2]?.id, expected: 'good', got: 'odd' },
    ]);
  });

  it('says why it passed, or which requests are missing', () => {
    const passed = (requests: readonly unknown[]): string => `${requests.length} good`;
    const check = everyRequest('client/nostr', 'token', { ...rule, passed });
    expect(check.judge(traffic)).toMatchObject({
      passed: '2 good',
      missing: 'no token request was sent',
    });
    const named = everyRequest('client/nostr', 'token', { ...rule, noun: 'nostr' }).judge(traffic);
    expect(named).toMatchObject({ passed: 'all good', missing: 'no nostr was sent' });
  });
});
