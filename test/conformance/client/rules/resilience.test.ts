import { it } from 'vitest';
import { estimate, expectJudgement, type RuleCase, tokenRequest } from '../client-traffic.ts';

it.each<RuleCase>([
  [
    'client/failure-handled',
    [
      tokenRequest('a', { status: 500 }),
      tokenRequest('b', { at: 100 }),
      estimate('b', { at: 200 }),
    ],
    [tokenRequest('a', { status: 500 }), estimate('a', { at: 200 })],
    /access_token/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});
