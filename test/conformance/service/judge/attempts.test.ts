import { describe, expect, it } from 'vitest';
import { noRests } from '../../../../src/conformance/service/contract/check.ts';
import { checkOf } from '../../../../src/conformance/service/contract/templates.ts';
import type { Doubts } from '../../../../src/conformance/service/judge/alibis.ts';
import {
  mergeAttempts,
  needsRepetition,
  notShownAgain,
} from '../../../../src/conformance/service/judge/attempts.ts';
import type { JudgedRule } from '../../../../src/conformance/service/judge/judged-rule.ts';
import { Stability } from '../../../../src/conformance/service/wire/stability.ts';
import {
  inconclusive,
  type Judgement,
  pass,
  untestable,
  violated,
} from '../../../../src/conformance/verdict.ts';

const DOUBTS: Doubts = {
  statusOf: (id) => (id === 'accepted' ? 200 : 401),
  refusedSince: () => null,
  limitStatuses: new Set(),
  rests: noRests(),
  stability: new Stability(),
};
const LIMITED: Doubts = { ...DOUBTS, limitStatuses: new Set([401]) };

const VIOLATED = violated('a token', 'it was refused', 'x1');
const ACCEPTED = violated('a refusal', 'it was accepted', 'accepted');

const attempt = (number: number, judgement: Judgement, rule = 'r'): JudgedRule => ({
  rule,
  judgement,
  exchanges: ['x0', `x${number}`],
  check: {
    ...checkOf({ rule, baseRequest: 'platform', run: async () => ({}) }),
    id: 'check',
  },
  attempt: number,
});
const merged = (...judgements: readonly Judgement[]) =>
  mergeAttempts(
    judgements.map((one, at) => attempt(at + 1, one)),
    DOUBTS,
  );

describe('a violation by a refusal, repeated,', () => {
  it('stands if it shows again', () => {
    expect(merged(VIOLATED, VIOLATED)).toMatchObject([
      { judgement: { verdict: 'violated' }, exchanges: ['x0', 'x2', 'x1'] },
    ]);
  });

  it('is taken back if it shows at another place of a sequence', () => {
    const at = (place?: number): Judgement => ({ ...VIOLATED, place });
    const verdictOf = (...all: readonly Judgement[]) => merged(...all)[0]?.judgement.verdict;
    expect(verdictOf(at(3), at(9))).toBe('inconclusive');
    expect(verdictOf(at(3), at())).toBe('inconclusive');
    expect(verdictOf(at(3), at(3))).toBe('violated');
  });

  it.each([pass('it was accepted'), inconclusive('no answer')])(
    'is taken back if it does not: %j',
    (judgement) => {
      expect(merged(VIOLATED, judgement)).toMatchObject([
        {
          judgement: {
            verdict: 'inconclusive',
            reason: expect.stringMatching(/^it was refused; (?:not so )?when it was repeated/),
          },
          exchanges: ['x0', 'x2', 'x1'],
        },
      ]);
      const found = [attempt(1, VIOLATED), attempt(2, judgement)];
      expect(notShownAgain(found, DOUBTS)).toEqual(['r']);
      // A rate limit is no refusal at random.
      expect(notShownAgain(found, LIMITED)).toEqual([]);
    },
  );

  it('stands where no allowance was left to repeat it', () => {
    expect(merged(VIOLATED)).toMatchObject([{ judgement: VIOLATED }]);
    expect(merged(VIOLATED, untestable('no allowance'))).toMatchObject([{ judgement: VIOLATED }]);
    expect(notShownAgain([attempt(1, VIOLATED)], DOUBTS)).toEqual([]);
  });
});

describe('of several attempts', () => {
  it.each([pass('it was refused'), ACCEPTED])(
    'the first that proves something decides: %j',
    (one) => {
      expect(merged(one, VIOLATED)).toMatchObject([{ judgement: one }]);
      expect(merged(inconclusive('lost'), one)).toMatchObject([{ judgement: one }]);
    },
  );

  it('a later one accuses by a refusal only if that shows again', () => {
    const lost = inconclusive('lost');
    expect(merged(lost, VIOLATED)).toMatchObject([{ judgement: lost }]);
    expect(merged(lost, VIOLATED, VIOLATED)).toMatchObject([{ judgement: VIOLATED }]);
  });

  it('those of each rule and check are merged by themselves, in any order', () => {
    const found = [
      attempt(2, pass('it was refused'), 's'),
      attempt(2, VIOLATED),
      attempt(1, ACCEPTED, 's'),
      attempt(1, VIOLATED),
    ];
    const verdicts = mergeAttempts(found, DOUBTS).map(({ rule, judgement }) => [rule, judgement]);
    expect(verdicts).toEqual([
      ['s', ACCEPTED],
      ['r', VIOLATED],
    ]);
  });
});

it('what a refusal shows is repeated, unless fresh partners are banned anyway', () => {
  const one = attempt(1, VIOLATED);
  expect(needsRepetition(one, DOUBTS)).toBe(true);
  expect(needsRepetition({ ...one, check: { ...one.check, effect: 'bans' } }, DOUBTS)).toBe(false);
  expect(needsRepetition(one, LIMITED)).toBe(false);
  expect(needsRepetition(attempt(1, ACCEPTED), DOUBTS)).toBe(false);
});
