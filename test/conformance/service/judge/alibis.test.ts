import { describe, expect, it } from 'vitest';
import { noRests } from '../../../../src/conformance/service/contract/check.ts';
import { checkOf } from '../../../../src/conformance/service/contract/templates.ts';
import {
  accusesByRefusal,
  type Doubts,
  doubtsOf,
  unlessUnproven,
} from '../../../../src/conformance/service/judge/alibis.ts';
import type { JudgedRule } from '../../../../src/conformance/service/judge/judged-rule.ts';
import { Stability } from '../../../../src/conformance/service/wire/stability.ts';
import type { TargetClient } from '../../../../src/conformance/service/wire/target-client.ts';
import {
  inconclusive,
  type Judgement,
  pass,
  violated,
} from '../../../../src/conformance/verdict.ts';
import { NOT_RESTARTED } from '../../../../src/spending/index.ts';

const VIOLATED = violated('a token', 'it was refused', 'x1', ['x1', 'x0']);

const judged = (judgement: Judgement, counted?: true, rule = 'token/scope-echo'): JudgedRule => ({
  rule,
  judgement,
  exchanges: ['x0', 'x1'],
  check: checkOf({
    rule,
    baseRequest: 'platform',
    effect: counted && 'counts',
    run: async () => ({}),
  }),
});

/** Stability of a target, and why no refusal of it proves anything. */
function stabilityOf(doubt: string | null): Stability {
  return Object.defineProperty(new Stability(), 'doubt', { value: doubt });
}

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
    refusedSince: () => null,
    limitStatuses: new Set(limits),
    rests: noRests(),
    stability: stabilityOf(doubt),
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

  it('takes back a refusal within an allowance whose status another such refusal had that passed', () => {
    const verdictAt = (status: number, counted?: true): string => {
      const doubts = doubtsWith(status);
      doubts.rests.passed.add(401);
      return unlessUnproven(judged(VIOLATED, counted), doubts).judgement.verdict;
    };
    expect(verdictAt(401, true)).toBe('inconclusive');
    expect(verdictAt(401)).toBe('violated');
    expect(verdictAt(403, true)).toBe('violated');
  });

  it('keeps a refusal whose cause concerns all partners, at a target that refuses at random', () => {
    const ofAll = judged({ ...VIOLATED, isOfAll: true });
    const doubts = doubtsWith(400, 'it refuses at random');
    expect(unlessUnproven(ofAll, doubts).judgement.verdict).toBe('violated');
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
    refusedSince: () => null,
    limitStatuses: new Set(),
    rests: noRests(),
    stability: stabilityOf('it refuses at random'),
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
    const stability = new Stability();
    const open = (exchange: string, outcome: 'accepted' | 'refused'): void =>
      stability.record({ kind: 'a refresh', base: 'a refresh', outcome, exchange });
    const client = {
      evidence: { statusOf: (id: string) => (id === 'x9' ? null : 403), raw: [] },
      target: { baseUrl: 'https://a.example' },
      limitStatuses: new Set([429]),
      rests: noRests(),
      stability,
    } as unknown as TargetClient;
    const doubts = doubtsOf(client);
    expect(['x1', 'x9'].map((id) => doubts.statusOf(id))).toEqual([403, null]);
    const reasonOf = (exchange: string): string => {
      const one = judged(violated('a token', 'it was refused', exchange));
      return `${unlessUnproven(one, doubts).judgement.reason}`;
    };
    open('x1', 'refused');
    expect(reasonOf('x1')).toBe('it was refused');
    // They are as far as the run has come.
    open('x2', 'accepted');
    expect(reasonOf('x1')).toMatch(/^a refresh was accepted in 1 of 2 .* \(it was refused\)$/);
    stability.recordUsedUp(['x1', 'x3']);
    for (const id of ['x1', 'x3']) expect(reasonOf(id)).toBe(`${NOT_RESTARTED} (it was refused)`);
    expect(reasonOf('x4')).toBe('it was refused');
  });
});
