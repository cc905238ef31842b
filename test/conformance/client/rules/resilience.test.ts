import { it } from 'vitest';
import {
  estimate,
  expectJudgement,
  type RuleCase,
  refresh,
  tokenRequest,
} from '../client-traffic.ts';

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

it.each<RuleCase>([
  [
    'client/lost-answer-handled',
    [
      tokenRequest('a'),
      refresh('a', 'b', { at: 1000, took: null, stimuli: ['lost-answer'] }),
      tokenRequest('c', { at: 2000 }),
    ],
    [
      tokenRequest('a'),
      refresh('a', 'b', { at: 1000, took: null, stimuli: ['lost-answer'] }),
      refresh('a', 'c', { at: 2000 }),
    ],
    /refresh-single-use/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});
