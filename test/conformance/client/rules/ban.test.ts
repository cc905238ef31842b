import { it } from 'vitest';
import { expectJudgement, type RuleCase, tokens } from '../client-traffic.ts';

it.each<RuleCase>([
  [
    'client/ban-respected',
    tokens(3, (n) => ({ at: n * 100, status: 403 })),
    tokens(4, (n) => ({ at: n * 300, status: 403 })),
    /after 3/,
  ],
  [
    'client/ban-respected',
    // Four threads ask at once; each request may have been sent before a refusal was read.
    tokens(4, (n) => ({ at: n * 10, took: 2, status: 403 })),
    tokens(14, (n) => ({ at: n * 10, took: 2, status: 403 })),
    /after 3/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});
