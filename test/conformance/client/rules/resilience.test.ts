import { describe, expect, it } from 'vitest';
import type { ScenarioFrame } from '../../../../src/documents/scenario.ts';
import {
  estimate,
  expectJudgement,
  judge,
  NOON,
  outcomeOf,
  query,
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

const frame = (stimuli: ScenarioFrame['stimuli']): ScenarioFrame => ({
  name: 'failures',
  mode: 'platform',
  estimates: 5,
  atLeast: 0,
  stimuli,
  ended: 'by-itself',
  endedMs: NOON + 9000,
  goesOnRule: null,
  mayOutlast: false,
});

describe.each([
  ['client/failure-handled', 'failure'],
  ['client/carpool-tolerated', 'carpool'],
  ['client/unknown-fields-tolerated', 'unknown-fields'],
  ['client/lost-answer-handled', 'lost-answer'],
] as const)('%s', (rule, kind) => {
  const traffic = [tokenRequest('a'), estimate('a', { at: 100 }), estimate('a', { at: 200 })];

  it('is judged by the exchanges that got its stimuli', () => {
    const given = [
      { kind, waitsFor: 'an estimate', given: 'x2' },
      { kind: 'delay' as const, waitsFor: 'a token', given: 'x1' },
      { kind, waitsFor: 'another', given: 'x3' },
    ];
    expect(outcomeOf(rule, traffic, frame(given))).toMatchObject({
      violations: [],
      judged: ['x2', 'x3'],
    });
  });

  it('is open while the client did not do what a stimulus waits for', () => {
    const pending = [
      { kind, waitsFor: 'an estimate', given: 'x2' },
      { kind, waitsFor: 'a refresh', given: null },
    ];
    expect(judge(rule, traffic, frame(pending))).toEqual({
      got: [],
      judged: 0,
      missing: 'the client did not send a refresh',
    });
    const other = [{ kind: 'delay' as const, waitsFor: 'a refresh', given: null }];
    expect(judge(rule, traffic, frame(other)).missing).toBe('no scenario that tests it was run');
    expect(judge(rule, traffic).missing).toBe('no scenario that tests it was run');
  });
});

describe('an answer that failed', () => {
  const RULE = 'client/failure-handled';
  const failed = tokenRequest('a', { at: 0, status: 500 });

  it('brings nothing that may be used', () => {
    const traffic = [
      failed,
      estimate('a', { at: 200 }),
      refresh('a', 'b', { at: 300 }),
      estimate('a', { at: 400 }),
    ];
    const use = { related: ['x1'], expected: 'nothing of the response with status 500 is used' };
    expect(outcomeOf(RULE, traffic).violations).toEqual([
      { ...use, exchange: 'x2', got: 'its access_token is used' },
      { ...use, exchange: 'x3', got: 'its refresh_token is used' },
    ]);
  });

  it('counts from its arrival, and is no use of itself', () => {
    const traffic = [tokenRequest('a', { status: 500, took: 0 }), estimate('a')];
    expect(judge(RULE, traffic).got).toEqual(['its access_token is used']);
    expect(judge(RULE, [refresh('a', 'a', { status: 500 })]).got).toEqual([]);
  });

  it('brings no estimate that may be ordered, by path, parameter or field', () => {
    const refused = estimate('b', { status: 503, answer: [{ estimate_id: 'e-77' }] });
    const got = (use: ReturnType<typeof estimate>): string[] => judge(RULE, [refused, use]).got;
    const used = ['its estimate_id is used'];
    expect(got(estimate('b', { at: 9, target: '/v1/estimates/e-77' }))).toEqual(used);
    expect(got(estimate('b', { at: 9, target: query({ from_name: 'of e-77' }) }))).toEqual(used);
    expect(got(tokenRequest('b', { at: 9, fields: { scope: 'e-77' } }))).toEqual(used);
    expect(got(tokenRequest('b', { at: 9, fields: { scope: 77 } }))).toEqual([]);
    expect(got(estimate('b', { at: 9 }))).toEqual([]);
  });

  it('may follow a use, and a good answer brings what is used', () => {
    expect(judge(RULE, [estimate('a', { at: -100 }), failed]).got).toEqual([]);
    expect(judge(RULE, [tokenRequest('a'), estimate('a', { at: 100 })]).got).toEqual([]);
  });

  it('without tokens is like no other request without', () => {
    const bare = [
      tokenRequest('a', { status: 500, answer: {} }),
      estimate('b', { at: 9, headers: { authorization: undefined } }),
      tokenRequest('c', { at: 10 }),
    ];
    expect(judge(RULE, bare).got).toEqual([]);
  });
});

describe('client/lost-answer-handled', () => {
  const RULE = 'client/lost-answer-handled';
  const lost = { took: null, stimuli: ['lost-answer' as const] };

  it('names the lost answer, the rule and the request that breaks it', () => {
    const { violations, judged } = outcomeOf(RULE, [
      tokenRequest('a'),
      refresh('a', 'b', { at: 1000, ...lost }),
      refresh('a', 'c', { at: 2000 }),
    ]);
    expect(judged).toEqual(['x2']);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatchObject({ exchange: 'x3', related: ['x2', 'x2'] });
    expect(violations[0]?.got).toMatch(
      / \(client\/refresh-single-use\), after the response of x2 was lost$/,
    );
  });

  it('blames no mistake in the form of a request on the loss', () => {
    const headers = { 'content-type': 'text/plain' };
    const traffic = [
      tokenRequest('a'),
      refresh('a', 'b', { at: 1000, ...lost }),
      tokenRequest('c', { at: 1000, headers }),
    ];
    expect(judge(RULE, traffic)).toMatchObject({ got: [], judged: 1 });
  });

  it('is about refreshes: a client has every token otherwise', () => {
    const traffic = [tokenRequest('a', lost), refresh('x', 'b', { at: 1000 })];
    expect(judge(RULE, traffic)).toMatchObject({ got: [], judged: 0 });
  });
});
