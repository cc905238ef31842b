import { it } from 'vitest';
import { expectJudgement, type RuleCase, refresh, tokens, userToken } from '../client-traffic.ts';

const DAY_MS = 86_400_000;

it.each<RuleCase>([
  ['client/quota-platform', tokens(10), tokens(11), /11 in a day/],
  [
    'client/quota-platform',
    tokens(12, (n) => ({ at: n * DAY_MS * 0.1 })),
    tokens(11),
    /11 in a day/,
  ],
  [
    'client/quota-user',
    Array.from({ length: 5 }, (_, n) => userToken(`u${n}`, { at: n * 1000 })),
    Array.from({ length: 6 }, (_, n) => userToken(`u${n}`, { at: n * 1000 })),
    /6 in a day/,
  ],
  [
    'client/quota-refresh',
    Array.from({ length: 10 }, (_, n) => refresh(`r${n}`, `r${n + 1}`, { at: n * 1000 })),
    Array.from({ length: 11 }, (_, n) => refresh(`r${n}`, `r${n + 1}`, { at: n * 1000 })),
    /11 in a day/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

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
