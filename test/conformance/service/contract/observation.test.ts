import { describe, expect, it } from 'vitest';
import {
  exchangesOf,
  FEWEST_OF_SHAPE,
  judgeEach,
  observation,
  ofServedPartners,
  recordsOf,
  sampleOf,
} from '../../../../src/conformance/service/contract/observation.ts';
import { pass } from '../../../../src/conformance/verdict.ts';
import { estimate, RECORD, seen, token } from '../rules/seen.ts';

const RULE = {
  expected: 'a status',
  objectTo: ({ answer: { status } }: ReturnType<typeof token>) =>
    status === 200 ? null : `status ${status}`,
  what: 'answers',
  none: 'none was seen',
};

it('is defined by a rule, its requests, its judgement and what it needs', () => {
  const judge = () => pass('seen');
  const needs = { control: true } as const;
  const what = { rule: 'token/scope-echo', from: ['platform'], acceptance: 'read' };
  const defined = { ...what, judge, needs };
  expect(observation('token/scope-echo', ['platform'], judge, needs)).toEqual(defined);
});

describe('ofServedPartners', () => {
  const of = (partnerId: string, outcome: 'accepted' | 'refused') => ({
    ...token({ outcome }),
    partnerId,
  });
  const [ofServed, ofOther] = [of('p-1', 'refused'), of('p-2', 'refused')];
  const refused = [ofServed, ofOther];
  const left = (metered: boolean, ...accepted: ReturnType<typeof of>[]) =>
    ofServedPartners(refused, {
      requests: [...refused, ...accepted],
      facts: { shapes: [], metered },
    });

  it('leaves out refusals of a partner that a metered target accepts nothing of', () => {
    expect(left(true, of('p-1', 'accepted'))).toEqual([ofServed]);
  });

  it('keeps all if none is accepted, and where each partner is new', () => {
    expect(left(true)).toEqual(refused);
    expect(left(false, of('p-1', 'accepted'))).toEqual(refused);
  });
});

describe('judgeEach', () => {
  it('passes if nothing is to be objected to, with some of the exchanges', () => {
    const list = [token(), token(), token(), token()];
    expect(judgeEach(list, RULE)).toMatchObject({
      verdict: 'pass',
      reason: 'a status, in each of 4 answers',
      exchanges: list.slice(0, 3).map(({ answer }) => answer.exchange),
    });
  });

  it('is violated by one, and counts all', () => {
    const list = [token(), token({ status: 201 }), token({ status: 202 })];
    expect(judgeEach(list, RULE)).toEqual({
      verdict: 'violated',
      reason: 'status 201 (in 2 of 3 answers)',
      expected: 'a status',
      keyExchange: list[1]?.answer.exchange,
      exchanges: list.slice(1).map(({ answer }) => answer.exchange),
    });
  });

  it('is open if none was seen', () => {
    expect(judgeEach([], RULE)).toMatchObject({ verdict: 'inconclusive', reason: 'none was seen' });
  });

  it('is open if too few of a kind were seen, but a violation stands', () => {
    const sample = { words: ' (1 plain)', missing: 'only 1 was seen' };
    expect(judgeEach([token()], { ...RULE, sample })).toMatchObject({
      verdict: 'inconclusive',
      reason: 'a status, as far as seen: only 1 was seen',
    });
    expect(judgeEach([token({ status: 201 })], { ...RULE, sample }).verdict).toBe('violated');
    expect(judgeEach([token()], { ...RULE, sample: { ...sample, missing: null } })).toMatchObject({
      verdict: 'pass',
      reason: 'a status, in each of 1 answers (1 plain)',
    });
  });
});

describe('sampleOf', () => {
  const several = (count: number, ...changes: [Parameters<typeof estimate>[1]?]) =>
    Array.from({ length: count }, () => estimate([RECORD], ...changes));
  const sample = (estimates: ReturnType<typeof several>, metered: boolean, of = estimates) =>
    sampleOf(of, seen({ estimates, facts: { shapes: ['plain', 'express'], metered } }));

  it('counts answers by shape and header', () => {
    const estimates = [
      ...several(2),
      ...several(3, { shape: 'express', as: 'user' }),
      ...several(1, { shape: null }),
    ];
    expect(sample(estimates, true).words).toBe(
      " (2 plain, 3 express, 3 with a platform's header, 3 with a user's)",
    );
    expect(sample(several(1), true).words).toBe(
      " (1 plain, 1 with a platform's header, 0 with a user's)",
    );
  });

  it('counts an answer with several records once', () => {
    const one = estimate([RECORD, RECORD]);
    expect(sample([one], true, [one, one]).words).toContain('1 plain, 1 with');
  });

  it('needs ten answers of each shape that was judged, where requests are free', () => {
    const enough = several(FEWEST_OF_SHAPE);
    expect(FEWEST_OF_SHAPE).toBe(10);
    expect(sample(enough, false).missing).toBeNull();
    expect(sample(enough.slice(1), false).missing).toBe(
      'only 9 answers in the shape plain were seen, and a pass needs 10',
    );
    expect(sample(enough.slice(1), true).missing).toBeNull();
    const few = [...enough, ...several(1, { shape: 'express' })];
    expect(sample(few, false).missing).toMatch(/^only 1 answers in the shape express/);
    // Of the shape express nothing was to be judged.
    expect(sample(few, false, enough).missing).toBeNull();
    // One of the answers could be judged, but ten were seen.
    expect(sample(enough, false, enough.slice(0, 1)).missing).toBeNull();
  });
});

it('records are those of every estimate, each with its estimate', () => {
  const estimates = [
    estimate([RECORD, { ...RECORD, car_type: 2 }]),
    estimate([]),
    estimate([RECORD]),
  ];
  const records = recordsOf(seen({ estimates }));
  expect(records.map(({ record }) => record['car_type'])).toEqual([1, 2, 1]);
  expect(records[2]?.answer).toBe(estimates[2]?.answer);
});

it('names three exchanges at most, each once', () => {
  const [a, b, c, d] = [token(), token(), token(), token()];
  const ids = [a, b, c].map(({ answer }) => answer.exchange);
  expect(exchangesOf([a, a, b, b, c, d])).toEqual(ids);
});
