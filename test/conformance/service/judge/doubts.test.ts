import { describe, expect, it } from 'vitest';
import { checkOf } from '../../../../src/conformance/service/contract/templates.ts';
import {
  accusesByRefusal,
  type Doubts,
  doubtsOf,
  unlessUnproven,
} from '../../../../src/conformance/service/judge/doubts.ts';
import type { JudgedRule } from '../../../../src/conformance/service/judge/judged-rule.ts';
import type { TargetClient } from '../../../../src/conformance/service/wire/target-client.ts';
import {
  inconclusive,
  type Judgement,
  pass,
  violated,
} from '../../../../src/conformance/verdict.ts';

const VIOLATED = violated('a token', 'it was refused', 'x1', ['x1', 'x0']);

const judged = (judgement: Judgement, counted?: true, rule = 'token/scope-echo'): JudgedRule => ({
  rule,
  judgement,
  exchanges: ['x0', 'x1'],
  check: checkOf({
    rule,
    baseRequest: 'platform',
    counted,
    run: async () => ({}),
  }),
});

describe('accusesByRefusal', () => {
  it.each([
    [true, VIOLATED, 400],
    [true, VIOLATED, 202],
    // It was answered with a success, or not at all: that proves the violation.
    [false, VIOLATED, 200],
    [false, VIOLATED, null],
    [false, pass('it was not refused'), 400],
    [false, inconclusive('no answer'), 400],
  ])('is %s for %j with status %s', (accuses, judgement, status) => {
    expect(accusesByRefusal(judged(judgement), () => status)).toBe(accuses);
  });

  it('looks at the key exchange', () => {
    const statusOf = (id: string): number => (id === 'x1' ? 400 : 200);
    expect(accusesByRefusal(judged(VIOLATED), statusOf)).toBe(true);
    expect(accusesByRefusal(judged(violated('a', 'b', 'x2')), statusOf)).toBe(false);
  });
});

describe('unlessUnproven', () => {
  const doubtsWith = (
    status: number | null,
    doubt: string | null = null,
    limits: readonly number[] = [],
  ): Doubts => ({
    statusOf: () => status,
    doubt,
    limitStatuses: new Set(limits),
    doubtOf: () => null,
  });
  const verdictWith = (
    status: number | null,
    { doubt = null, counted }: { doubt?: string | null; counted?: true } = {},
  ) => unlessUnproven(judged(VIOLATED, counted), doubtsWith(status, doubt)).judgement.verdict;

  it.each([400, 401, 403, 404, 500, 502, 504, 202])('keeps a refusal with status %d', (status) => {
    expect(verdictWith(status)).toBe('violated');
  });

  it.each([429, 503])('takes back a refusal with status %d, a limit of the target', (status) => {
    const { judgement } = unlessUnproven(judged(VIOLATED), doubtsWith(status));
    expect(judgement).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringMatching(`^status ${status} is how .* \\(it was refused\\)$`),
      exchanges: ['x1', 'x0'],
    });
  });

  it('keeps status 429 where the answer depends on the number of requests, and not 503', () => {
    expect(verdictWith(429, { counted: true })).toBe('violated');
    expect(verdictWith(503, { counted: true })).toBe('inconclusive');
  });

  it('takes back status 429 of a target that limits its rate by it, whatever the rule', () => {
    const verdictAt = (status: number): string => {
      const doubts = doubtsWith(status, null, [429]);
      return unlessUnproven(judged(VIOLATED, true), doubts).judgement.verdict;
    };
    expect(verdictAt(429)).toBe('inconclusive');
    expect(verdictAt(403)).toBe('violated');
  });

  it('takes back every refusal of a target that refuses at random, and no success', () => {
    const doubt = 'it refuses at random';
    expect(verdictWith(400, { doubt })).toBe('inconclusive');
    expect(verdictWith(200, { doubt })).toBe('violated');
    expect(verdictWith(null, { doubt })).toBe('violated');
    expect(unlessUnproven(judged(pass('it passed')), doubtsWith(400, doubt)).judgement).toEqual(
      pass('it passed'),
    );
  });
});

describe('a violation by an acceptance that counts only after a refusal', () => {
  const RULE = 'quota/ban-lasts-24h';
  const doubts: Doubts = {
    statusOf: () => 200,
    doubt: 'it refuses at random',
    limitStatuses: new Set(),
    doubtOf: () => null,
  };
  const verdictOf = (judgement: Judgement, rule = RULE) =>
    unlessUnproven(judged(judgement, true, rule), doubts).judgement.verdict;

  it('is taken back if refusals prove nothing', () => {
    expect(verdictOf(VIOLATED)).toBe('inconclusive');
    expect(verdictOf(VIOLATED, 'quota/ban-lifts')).toBe('violated');
    expect(verdictOf(pass('it was refused'))).toBe('pass');
  });
});

describe('the doubts of a run', () => {
  it('are those of its evidence and of the stability of its target', () => {
    const client = {
      evidence: { statusOf: (id: string) => (id === 'x1' ? 403 : null) },
      limitStatuses: new Set([429]),
      stability: {
        doubt: null,
        doubtOf: (id: string) => (id === 'x1' ? 'it came and went' : null),
      },
    } as unknown as TargetClient;
    const doubts = doubtsOf(client);
    expect(doubts).toMatchObject({ limitStatuses: new Set([429]), doubt: null });
    expect(['x1', 'x2'].map((id) => doubts.statusOf(id))).toEqual([403, null]);
    expect(unlessUnproven(judged(VIOLATED), doubts).judgement).toMatchObject({
      verdict: 'inconclusive',
      reason: 'it came and went (it was refused)',
    });
    const other = violated('a token', 'it was refused', 'x2');
    expect(unlessUnproven(judged(other), doubts).judgement.verdict).toBe('violated');
  });
});
