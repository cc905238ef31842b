import { describe, expect, it } from 'vitest';
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
  limitStatuses: new Set(),
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
    attempt: number,
  },
});
const merged = (...judgements: readonly Judgement[]) =>
  mergeAttempts(
    judgements.map((one, at) => attempt(at + 1, one)),
    DOUBTS,
    false,
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
            reason: expect.stringMatching(/^it was refused; not so when it was repeated/),
          },
          exchanges: ['x0', 'x2', 'x1'],
        },
      ]);
      const found = [attempt(1, VIOLATED), attempt(2, judgement)];
      expect(notShownAgain(found, DOUBTS)).toEqual(['r']);
      // A limit of the rate is no refusal at random.
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
    const verdicts = mergeAttempts(found, DOUBTS, false).map(({ rule, judgement }) => [
      rule,
      judgement,
    ]);
    expect(verdicts).toEqual([
      ['s', ACCEPTED],
      ['r', VIOLATED],
    ]);
  });
});

describe('a ban that seems to end early', () => {
  const RULE = 'quota/ban-lasts-24h';
  const ban = (number: number, judgement: Judgement, id = 'ban'): JudgedRule => {
    const one = attempt(number, judgement, RULE);
    return { ...one, check: { ...one.check, id, bansFresh: true } };
  };
  const held = pass('it lasted');
  const verdictsOf = (found: readonly JudgedRule[], metered = false) =>
    mergeAttempts(found, DOUBTS, metered).map(({ judgement }) => judgement.verdict);

  it('is repeated after a rest, and other violations of such a check are not', () => {
    expect(needsRepetition(ban(1, ACCEPTED), DOUBTS)).toBe('rested');
    expect(needsRepetition({ ...ban(1, VIOLATED), rule: 'r' }, DOUBTS)).toBeNull();
    expect(needsRepetition(attempt(1, VIOLATED), DOUBTS)).toBe('alone');
    expect(needsRepetition(attempt(1, VIOLATED), LIMITED)).toBeNull();
    expect(needsRepetition(attempt(1, ACCEPTED), DOUBTS)).toBeNull();
  });

  it('does if one of its repetitions shows it', () => {
    const found = [ban(1, ACCEPTED), ban(2, held), ban(3, ACCEPTED)];
    expect(verdictsOf(found)).toEqual(['violated']);
    expect(mergeAttempts(found, DOUBTS, false)[0]?.exchanges).toEqual(['x0', 'x3', 'x2', 'x1']);
  });

  it('does not if none does, or if it was not repeated', () => {
    expect(verdictsOf([ban(1, ACCEPTED), ban(2, held)])).toEqual(['inconclusive']);
    expect(verdictsOf([ban(1, ACCEPTED)])).toEqual(['inconclusive']);
    expect(notShownAgain([ban(1, ACCEPTED), ban(2, held)], DOUBTS)).toEqual([]);
  });

  it('does where another one was confirmed, or where nothing is repeated', () => {
    const others = [ban(1, ACCEPTED, 'other'), ban(2, ACCEPTED, 'other')];
    expect(verdictsOf([ban(1, ACCEPTED), ...others])).toEqual(['violated', 'violated']);
    expect(verdictsOf([ban(1, ACCEPTED), ban(2, held), ...others])).toEqual([
      'inconclusive',
      'violated',
    ]);
    expect(verdictsOf([ban(1, ACCEPTED)], true)).toEqual(['violated']);
  });
});
