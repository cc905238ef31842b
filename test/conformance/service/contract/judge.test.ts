import { describe, expect, it } from 'vitest';
import type { Baseline } from '../../../../src/conformance/service/contract/check.ts';
import {
  accepted,
  accepts,
  answered,
  doubtBaseline,
  Inconclusive,
  inSome,
  judgeRefusals,
  PendingUntil,
  refused,
  Untestable,
} from '../../../../src/conformance/service/contract/judge.ts';
import type { Answer } from '../../../../src/conformance/service/contract/messages.ts';

function answer(outcome: Answer['outcome'], exchange = 'x1', status = 401): Answer {
  return {
    exchange,
    status: outcome === 'accepted' ? 200 : outcome === 'broken' ? 0 : status,
    headers: {},
    body: '',
    truncated: false,
    json: undefined,
    outcome,
    failure: outcome === 'broken' ? 'the connection was reset' : '',
    sentAtMs: 0,
    answeredAtMs: 1,
  };
}

const OK = answer('accepted', 'base');
const REFUSED = answer('refused', 'base', 403);
const BROKEN = answer('broken', 'base');
const SOUND: Baseline = { opening: OK, closing: OK };

/** Baselines between which a refusal proves nothing, and a word of the reason. */
const DOUBTFUL: readonly (readonly [what: string, Baseline, why: RegExp])[] = [
  ['refused before', { opening: REFUSED, closing: OK }, /sent before it .* \(status 403\)/],
  ['refused after', { opening: OK, closing: REFUSED }, /sent after it .* \(status 403\)/],
  ['broken before', { opening: BROKEN, closing: OK }, /sent before it .* \(the connection was/],
  ['broken after', { opening: OK, closing: BROKEN }, /sent after it .* \(the connection was/],
  ['only refused', { opening: null, closing: REFUSED }, /sent after it/],
  ['missing', { opening: null, closing: null }, /no well-formed request could be sent to compare/],
  [
    'not possible any more',
    { opening: OK, closing: null, problem: 'no allowance' },
    /could be sent after it: no allowance/,
  ],
];

/** Baselines between which a refusal proves a refusal. */
const PROVING: readonly Baseline[] = [
  SOUND,
  { opening: OK, closing: null },
  { opening: null, closing: OK },
];

describe('doubtBaseline', () => {
  it.each(DOUBTFUL)('has a reason for a baseline that was %s', (_what, baseline, why) => {
    expect(doubtBaseline(baseline)).toMatch(why);
  });

  it.each(PROVING)('has none for %j', (baseline) => {
    expect(doubtBaseline(baseline)).toBeNull();
  });
});

describe('requests that must be refused', () => {
  const wrong = (outcome: Answer['outcome'], exchange: string, status?: number) => ({
    wrong: `a bad ${exchange}`,
    answer: answer(outcome, exchange, status),
  });

  it.each(PROVING)('pass if all were, between %j', (baseline) => {
    const judgement = judgeRefusals(
      [wrong('refused', 'x1'), wrong('refused', 'x2', 400), wrong('refused', 'x3')],
      baseline,
    );
    expect(judgement).toMatchObject({
      verdict: 'pass',
      reason:
        'refused (401, 400): a bad x1; a bad x2; a bad x3; the same request without that was accepted',
    });
  });

  it.each(DOUBTFUL)('prove nothing if the baseline was %s', (_what, baseline, why) => {
    const judgement = judgeRefusals([wrong('refused', 'x1')], baseline);
    expect(judgement).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringMatching(why),
    });
  });

  it.each([SOUND, ...DOUBTFUL.map(([, baseline]) => baseline)])(
    'are violated by one that was accepted, between %j',
    (baseline) => {
      const judgement = judgeRefusals(
        [wrong('refused', 'x1'), wrong('accepted', 'x2'), wrong('broken', 'x3')],
        baseline,
      );
      expect(judgement).toMatchObject({
        verdict: 'violated',
        expected: 'a refusal (any status but 200) of a bad x2',
        reason: 'a bad x2 was accepted with status 200 (in 1 of 3 requests)',
        keyExchange: 'x2',
      });
    },
  );

  it('name no frequency if there was only one', () => {
    const judgement = refused('a bad one', answer('accepted', 'x9'), SOUND);
    expect(judgement).toMatchObject({
      verdict: 'violated',
      reason: 'a bad one was accepted with status 200',
      keyExchange: 'x9',
    });
  });

  it('prove nothing if one has no answer', () => {
    const judgement = judgeRefusals([wrong('refused', 'x1'), wrong('broken', 'x2')], SOUND);
    expect(judgement).toMatchObject({
      verdict: 'inconclusive',
      reason: 'no response to a bad x2: the connection was reset',
    });
  });

  it('may be answered otherwise if that follows the rule too', () => {
    const [first, second] = [wrong('accepted', 'x1'), wrong('accepted', 'x2')];
    const tolerated = { ...first, isTolerated: true };
    expect(judgeRefusals([tolerated, second], SOUND)).toMatchObject({
      verdict: 'violated',
      keyExchange: 'x2',
      reason: expect.stringContaining('in 1 of 2'),
    });
    expect(judgeRefusals([tolerated], SOUND).verdict).toBe('pass');
  });
});

describe('a request that must succeed', () => {
  it('passes if it did', () => {
    for (const baseline of [...PROVING, { opening: null, closing: null }]) {
      expect(accepts('a scope', answer('accepted'), baseline)).toMatchObject({
        verdict: 'pass',
        reason: 'accepted: a scope',
      });
    }
  });

  it.each([
    { opening: REFUSED, closing: OK },
    { opening: OK, closing: REFUSED },
  ])('proves nothing by success if its baseline was refused: %j', (baseline) => {
    expect(accepts('a scope', answer('accepted'), baseline)).toMatchObject({
      verdict: 'inconclusive',
      reason: 'accepted, but the baseline was not (status 403)',
    });
  });

  it('proves nothing without an answer', () => {
    expect(accepts('a scope', answer('broken'), SOUND)).toMatchObject({
      verdict: 'inconclusive',
      reason: 'no response to a scope: the connection was reset',
    });
  });

  it.each(PROVING)('is violated by a refusal, between %j', (baseline) => {
    expect(accepts('a scope', answer('refused', 'x4', 400), baseline)).toMatchObject({
      verdict: 'violated',
      expected: 'status 200 for a scope',
      reason: expect.stringMatching(/^a scope was refused with status 400/),
      keyExchange: 'x4',
    });
  });

  it.each(DOUBTFUL)(
    'proves nothing by a refusal if the baseline was %s',
    (_what, baseline, why) => {
      expect(accepts('a scope', answer('refused'), baseline)).toMatchObject({
        verdict: 'inconclusive',
        reason: expect.stringMatching(why),
      });
    },
  );
});

describe('a precondition', () => {
  it('is met by an answer, refused or not', () => {
    for (const one of [OK, REFUSED]) expect(answered(one, 'a refresh')).toBe(one);
    expect(() => answered(BROKEN, 'a refresh')).toThrow(
      new Inconclusive('no response to a refresh: the connection was reset'),
    );
    expect(() => answered(BROKEN)).toThrow(/^no response: the connection was reset$/);
  });

  it('is met by a success only, where one is needed', () => {
    expect(accepted(OK, 'no token')).toBe(OK);
    expect(() => accepted(REFUSED, 'no token')).toThrow(/^no token \(status 403\)$/);
    expect(() => accepted(BROKEN, 'no token')).toThrow(/^no token \(the connection was reset\)$/);
  });

  it('leaves the rule open, or untestable with a remedy', () => {
    expect(new Inconclusive('no token').judgement.verdict).toBe('inconclusive');
    expect(new Untestable('no code', 'give one').judgement).toMatchObject({
      verdict: 'untestable',
      remedy: 'give one',
    });
  });

  it.each([
    [1000, '1970-01-01T00:00:01Z'],
    [1001, '1970-01-01T00:00:02Z'],
    [1999, '1970-01-01T00:00:02Z'],
  ])('that time brings at %d ms is pending until %s', (untilMs, until) => {
    expect(new PendingUntil(untilMs).judgement).toMatchObject({
      verdict: 'untestable',
      pendingUntil: until,
      reason: `pending until ${until}`,
      remedy: expect.stringContaining('resume the run'),
    });
  });
});

it('counts a frequency out of all', () => {
  expect(inSome(7, 40, 'requests')).toBe('in 7 of 40 requests');
});
