import { expect, it } from 'vitest';
import {
  estimate,
  expectJudgement,
  judge,
  type RuleCase,
  tokenRequest,
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
