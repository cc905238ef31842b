import { describe, expect, it } from 'vitest';
import {
  type BaseRequest,
  type Check,
  noRests,
  placeOn,
  type Setting,
  standalone,
} from '../../../../src/conformance/service/contract/check.ts';
import { checkOf } from '../../../../src/conformance/service/contract/templates.ts';
import type { Doubts } from '../../../../src/conformance/service/judge/alibis.ts';
import { judge, judgeChecks, RuleParts } from '../../../../src/conformance/service/judge/judge.ts';
import {
  type JudgedRule,
  judgeAlike,
  mergeJudged,
} from '../../../../src/conformance/service/judge/judged-rule.ts';
import { Stability } from '../../../../src/conformance/service/wire/stability.ts';
import {
  inconclusive,
  type Judgement,
  pass,
  untestable,
  violated,
} from '../../../../src/conformance/verdict.ts';

const partOn = (baseRequest: BaseRequest, setting?: Setting): Check => ({
  ...checkOf({ rule: 'r', baseRequest, run: async () => ({}) }),
  id: `r@${baseRequest}${setting ? ':set' : ''}`,
  places: [placeOn(baseRequest, setting)],
});
const PLATFORM = partOn('platform');
const REFRESH = partOn('refresh', { ofUser: true });

const judgedBy = (check: Check, judgement: Judgement): JudgedRule => ({
  rule: 'r',
  judgement,
  exchanges: [`${check.id}#1`],
  check,
});
const NO_DOUBTS: Doubts = {
  statusOf: () => 200,
  refusedSince: () => null,
  limitStatuses: new Set(),
  rests: noRests(),
  stability: new Stability(),
};
const partsOf = (checks: readonly Check[]): RuleParts =>
  new RuleParts({ checks, doubts: NO_DOUBTS });
/** Rules as they are judged at the end of a run. */
const endOf = ({ log }: RuleParts): JudgedRule[] => judgeChecks(log);
const merged = (...judgements: readonly [Judgement, Judgement]): JudgedRule | undefined => {
  const parts = partsOf([PLATFORM, REFRESH]);
  expect(parts.add([judgedBy(PLATFORM, judgements[0])])).toEqual([]);
  return parts.add([judgedBy(REFRESH, judgements[1])])[0];
};

describe('a rule that two checks judge', () => {
  it('is open if one of them saw a breach that a rate limit may explain', () => {
    const doubt: Judgement = { ...inconclusive('it was accepted'), isDoubt: true };
    expect(merged(pass('refused'), doubt)?.judgement.verdict).toBe('inconclusive');
    expect(merged(pass('refused'), inconclusive('nothing shown'))?.judgement.verdict).toBe('pass');
    const broken = merged(violated('a refusal', 'it was accepted', 'x7'), doubt);
    expect(broken?.judgement.verdict).toBe('violated');
  });

  it.each([
    [undefined, 5, 'x2'],
    [9, 5, 'x2'],
    [5, 9, 'x1'],
    [5, undefined, 'x1'],
  ])('is shown by the request that was last accepted %s and %s ms before', (one, other, shown) => {
    const broken = merged(
      { ...violated('an acceptance', 'it was refused', 'x1'), sinceMs: one },
      { ...violated('an acceptance', 'it was refused', 'x2'), sinceMs: other },
    );
    expect(broken?.judgement.keyExchange).toBe(shown);
  });

  it('is broken if one of them finds so', () => {
    const rule = merged(pass('refused'), violated('a refusal', 'it was accepted', 'x7'));
    expect(rule?.judgement).toMatchObject({ verdict: 'violated', keyExchange: 'x7' });
    expect(rule?.judgement.reason).toBe("it was accepted (seen with: a refresh of a user's token)");
    expect(rule?.exchanges[0]).toBe('r@refresh:set#1');
  });

  it('passes on both, and names them', () => {
    const { verdict, reason } = merged(pass('refused'), pass('refused'))!.judgement;
    expect([verdict, reason]).toEqual([
      'pass',
      "refused (seen with: a platform request; a refresh of a user's token)",
    ]);
  });

  it('passes on one, and says why the other is open', () => {
    const { verdict, reason } = merged(pass('refused'), inconclusive('no code'))!.judgement;
    expect([verdict, reason]).toEqual([
      'pass',
      "refused (seen with: a platform request); not determined on a refresh of a user's token: no code",
    ]);
  });

  it('names the base request of a part that is open by itself', () => {
    const { reason } = merged(inconclusive('no code'), pass('refused'))!.judgement;
    expect(reason).toBe(
      "refused (seen with: a refresh of a user's token); not determined on a platform request: no code",
    );
  });

  it('is handed on at once if no planned check judges it', () => {
    expect(partsOf([]).add([judgedBy(PLATFORM, pass('refused'))])).toHaveLength(1);
  });

  it('stays open if both are', () => {
    expect(merged(inconclusive('a'), inconclusive('b'))?.judgement.verdict).toBe('inconclusive');
  });

  it('is handed on once: what is left out afterwards does not replace it', () => {
    const parts = partsOf([PLATFORM]);
    const [whole] = parts.add([judgedBy(PLATFORM, violated('a refusal', 'accepted', 'x7'))]);
    expect(whole?.judgement.verdict).toBe('violated');
    expect(parts.add([judgedBy(PLATFORM, untestable('no allowance was left'))])).toEqual([]);
    expect(endOf(parts)).toEqual([whole]);
  });

  it('of which a run judged only one part keeps a violation, and no pass', () => {
    const cut = (judgement: Judgement): JudgedRule[] => {
      const parts = partsOf([PLATFORM, REFRESH]);
      parts.add([judgedBy(PLATFORM, judgement)]);
      return endOf(parts);
    };
    expect(cut(pass('refused'))).toEqual([]);
    expect(cut(violated('a refusal', 'it was accepted', 'x7'))).toHaveLength(1);
  });
});

describe('a rule that a check judged and other checks saw', () => {
  const seen = violated('a status', 'another one');

  const decidedBy = (found: readonly Judgement[], observed: readonly Judgement[]) =>
    judge([
      {
        checks: [],
        found: found.map((judgement) => judgedBy(PLATFORM, judgement)),
        observed: observed.map((judgement) => ({ rule: 'r', judgement })),
        ofAll: [],
        doubts: NO_DOUBTS,
      },
    ]).get('r');

  it('is decided by the check if that found a violation, or if nothing was seen', () => {
    const broken = violated('a refusal', 'it was accepted');
    for (const observed of [[seen], [pass('200')], []])
      expect(decidedBy([broken], observed)).toMatchObject({ judgement: broken, check: PLATFORM });
    for (const judgement of [pass('refused'), inconclusive('no code')])
      expect(decidedBy([judgement], [])?.judgement).toBe(judgement);
  });

  it('is else decided by what was seen', () => {
    for (const judgement of [pass('refused'), inconclusive('no code')])
      expect(decidedBy([judgement], [seen])).toEqual({ rule: 'r', judgement: seen, exchanges: [] });
    expect(decidedBy([], [seen])?.judgement).toBe(seen);
  });
});

it('a check of several rules may judge them alike', () => {
  const check = { ...PLATFORM, rules: ['r', 's'] };
  expect(judgeAlike(check, pass('both'), ['x1'])).toEqual(
    ['r', 's'].map((rule) => ({ rule, judgement: pass('both'), exchanges: ['x1'], check })),
  );
});

describe('merged parts', () => {
  const other: Check = { ...PLATFORM, id: 'r@z', places: [standalone('after a minute')] };

  it('are the same in any order', () => {
    const parts = [PLATFORM, REFRESH, other].map((check) => judgedBy(check, pass(check.id)));
    const [first] = mergeJudged(parts);
    expect(first?.judgement.reason).toMatch(/^r@platform \(/);
    expect(mergeJudged(parts.toReversed())).toEqual([first]);
    expect(mergeJudged([parts[1]!, parts[0]!, parts[2]!])).toEqual([first]);
  });

  it('say what is open only of a pass, and name a circumstance', () => {
    const open = judgedBy(other, inconclusive('no code'));
    const reasonWith = (judgement: Judgement) =>
      mergeJudged([judgedBy(PLATFORM, judgement), open])[0]?.judgement.reason;
    expect(reasonWith(pass('refused'))).toMatch(/; not determined \([^)]*after a minute[^)]*\)/);
    expect(reasonWith(violated('a', 'it was accepted'))).not.toContain('not determined');
  });

  it('of one check are its judgement as it is', () => {
    const one = judgedBy(PLATFORM, pass('refused'));
    expect(mergeJudged([one])).toEqual([one]);
    expect(judgeAlike(PLATFORM, pass('refused'))[0]?.exchanges).toEqual([]);
  });
});

describe('further parts, which are sent if an allowance is left', () => {
  const further: Check = {
    ...partOn('estimate'),
    id: 'r@exchange:further',
    priority: { stage: 'further', rank: 1 },
  };
  const noneLeft = untestable('no allowance was left');
  const verdictOf = (...judged: readonly JudgedRule[]) => mergeJudged(judged)[0]?.judgement;

  it('say nothing of a rule where they were not sent', () => {
    const sent = judgedBy(PLATFORM, pass('refused'));
    expect(mergeJudged([sent, judgedBy(further, noneLeft)])).toEqual([sent]);
    expect(mergeJudged([judgedBy(further, noneLeft), sent])).toEqual([sent]);
  });

  it('leave a rule untestable where no part was sent, for the reason of the first', () => {
    const first = judgedBy(PLATFORM, untestable('no partner'));
    expect(mergeJudged([judgedBy(further, noneLeft), first])).toEqual([
      judgedBy(further, noneLeft),
    ]);
    expect(verdictOf(judgedBy(further, noneLeft))).toEqual(noneLeft);
  });

  it('count as parts where they were sent', () => {
    const broken = judgedBy(further, violated('a refusal', 'it was accepted'));
    expect(verdictOf(judgedBy(PLATFORM, pass('refused')), broken)?.verdict).toBe('violated');
    const both = verdictOf(judgedBy(PLATFORM, pass('refused')), judgedBy(further, pass('refused')));
    expect(both?.reason).toBe('refused (seen with: a platform estimate; a platform request)');
  });

  it('are not waited for once a run is interrupted', () => {
    const passing = [judgedBy(PLATFORM, pass('refused'))];
    const parts = partsOf([PLATFORM, further]);
    expect(parts.add(passing)).toEqual([]);
    expect(endOf(parts)).toEqual(passing);
    const three = partsOf([PLATFORM, further, REFRESH]);
    three.add(passing);
    expect(endOf(three)).toEqual([]);
  });

  it('of one rule leave others open in an interrupted run', () => {
    const ofS: Check = { ...REFRESH, rules: ['s'] };
    const parts = partsOf([PLATFORM, further, ofS, { ...ofS, id: 's@more' }]);
    parts.add([judgedBy(PLATFORM, pass('refused'))]);
    parts.add([{ ...judgedBy(ofS, pass('seen')), rule: 's' }]);
    expect(endOf(parts).map(({ rule }) => rule)).toEqual(['r']);
  });

  it('are known by their stage alone: a part without one that was not sent counts', () => {
    const missing = judgedBy(REFRESH, untestable('no code'));
    const [first] = mergeJudged([judgedBy(PLATFORM, pass('refused')), missing]);
    expect(first?.judgement.reason).toBe('refused (seen with: a platform request)');
    expect(first?.exchanges).toEqual(['r@platform#1', 'r@refresh:set#1']);
  });
});

it('an interrupted run hands on each of its rules by itself', () => {
  const ofS: Check = { ...REFRESH, rules: ['s'] };
  const parts = partsOf([PLATFORM, { ...PLATFORM, id: 'r@more' }, ofS, { ...ofS, id: 's@more' }]);
  parts.add([judgedBy(PLATFORM, violated('a', 'b'))]);
  parts.add([{ ...judgedBy(ofS, pass('seen')), rule: 's' }]);
  expect(endOf(parts).map(({ rule }) => rule)).toEqual(['r']);
});

it('is broken by what all requests show together, where no check could determine it', () => {
  const ofAll = { ...violated('a token', 'it was refused', 'x1'), isOfAll: true as const };
  const judged = (found: Judgement) =>
    judge([
      {
        checks: [],
        found: [judgedBy(PLATFORM, found)],
        observed: [],
        ofAll: [{ rule: 'r', judgement: ofAll }],
        doubts: NO_DOUBTS,
      },
    ]).get('r')?.judgement.verdict;
  expect(judged(inconclusive('it ended too early'))).toBe('violated');
  expect(judged(pass('ten succeeded'))).toBe('pass');
});

it('names a cause that concerns all partners where other rules are open, and changes no verdict', () => {
  const ofAll = { ...violated('a token', 'it was refused', 'x1'), isOfAll: true as const };
  const observed = [
    { rule: 'quota/platform-allows-10', judgement: ofAll },
    { rule: 'estimate/platform', judgement: inconclusive('no token came') },
    { rule: 'record/array', judgement: pass('an array') },
  ];
  const judged = judge([{ checks: [], found: [], ofAll: [], observed, doubts: NO_DOUBTS }]);
  expect([...judged.values()].map(({ judgement }) => judgement)).toEqual([
    ofAll,
    inconclusive(
      'no token came; it may follow from quota/platform-allows-10, whose cause concerns all partners',
    ),
    pass('an array'),
  ]);
});
