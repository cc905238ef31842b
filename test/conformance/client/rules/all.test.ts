import { expect, it } from 'vitest';
import { CLIENT_CHECKS } from '../../../../src/conformance/client/rules/all.ts';
import { CLIENT_RULES } from '../../../../src/interface/index.ts';
import { estimate, judge, NOON, query, refresh, tokenRequest } from '../client-traffic.ts';

it('has a check for each client rule', () => {
  expect(CLIENT_CHECKS.map(({ rule }) => rule)).toEqual(CLIENT_RULES.map(({ id }) => id));
});

it('tolerates a new token after a lost refresh', () => {
  const traffic = [
    tokenRequest('a', {}, 2),
    refresh('a', 'b', { at: 1800, took: null }, 2),
    tokenRequest('c', { at: 1900 }, 2),
    estimate('c', { at: 2000 }),
  ];
  expect(CLIENT_CHECKS.flatMap(({ rule }) => judge(rule, traffic).got)).toEqual([]);
});

it('accepts a target in absolute form, as a proxy receives it', () => {
  const origin = 'http://127.0.0.1:8080';
  const traffic = [
    tokenRequest('a', { target: `${origin}/v1/oauth/token` }),
    estimate('a', { at: 10, target: `HTTP://localhost${query({})}` }),
  ];
  for (const { rule } of CLIENT_CHECKS)
    expect([rule, judge(rule, traffic).got]).toEqual([rule, []]);
  const elsewhere = [tokenRequest('a', { target: `${origin}/oauth/token` })];
  expect(judge('client/path-version', elsewhere).got).toEqual(['the path "/oauth/token"']);
  const bare = [tokenRequest('a', { target: `${origin}?x=1` })];
  expect(judge('client/path-version', bare).got).toEqual(['the path "/"']);
});

it('judges traffic around noon, far from the change of the day', () => {
  expect(new Date(NOON).toISOString()).toBe('2026-03-02T12:00:00.000Z');
});
