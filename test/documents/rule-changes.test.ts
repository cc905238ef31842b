import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChangeKind,
  type RunOutcomes,
  ruleChanges,
} from '../../src/documents/rule-changes.ts';
import { RULE_VERDICTS, type RuleVerdict } from '../../src/documents/rule-verdict.ts';

const runOf = (verdict: RuleVerdict | null): RunOutcomes => ({
  rules: verdict === null ? [] : [{ id: 'token/rule', verdict, reason: `it is ${verdict}` }],
});

function kindOf(before: RuleVerdict | null, after: RuleVerdict | null): ChangeKind | null {
  const found = Object.entries<readonly unknown[] | undefined>(
    ruleChanges(runOf(before), runOf(after)),
  ).filter(([, rules]) => (rules ?? []).length > 0);
  expect(found.length).toBeLessThanOrEqual(1);
  return (found[0]?.[0] ?? null) as ChangeKind | null;
}

describe('a rule in two runs', () => {
  it.each([
    ['fail', 'pass', 'fixed'],
    ['warn', 'pass', 'fixed'],
    ['waived', 'pass', 'fixed'],
    ['pass', 'fail', 'newlyBroken'],
    ['pass', 'warn', 'newlyBroken'],
    ['pass', 'waived', 'newlyBroken'],
    ['inconclusive', 'fail', 'newlyBroken'],
    ['untestable', 'fail', 'newlyBroken'],
    ['excluded', 'fail', 'newlyBroken'],
    [null, 'fail', 'newlyBroken'],
    // The waiver has expired, or is gone.
    ['waived', 'fail', 'newlyBroken'],
    ['fail', 'fail', 'stillBroken'],
    ['fail', 'waived', 'stillBroken'],
    ['waived', 'waived', 'stillBroken'],
    ['pass', 'inconclusive', 'noLongerJudged'],
    ['pass', 'untestable', 'noLongerJudged'],
    ['fail', 'inconclusive', 'noLongerJudged'],
    ['fail', 'excluded', 'noLongerJudged'],
    ['waived', 'excluded', 'noLongerJudged'],
    ['fail', null, 'noLongerJudged'],
    ['pass', 'pass', null],
    ['pass', 'excluded', null],
    ['pass', null, null],
    ['inconclusive', 'pass', null],
    ['inconclusive', 'untestable', null],
    ['excluded', 'excluded', null],
  ] as const)('%s, then %s: %s', (before, after, kind) => {
    expect(kindOf(before, after)).toBe(kind);
  });

  const verdict = fc.constantFrom(...RULE_VERDICTS, null);

  it('is never lost while it is broken, and is of one kind at most', () => {
    fc.assert(
      fc.property(verdict, verdict, (before, after) => {
        const isBroken = [before, after].some((one) => one === 'fail' || one === 'warn');
        const kind = kindOf(before, after);
        if (isBroken) expect(kind).not.toBeNull();
      }),
    );
  });
});

describe('a rule that is broken in one way', () => {
  const run = (verdict: RuleVerdict, ...checks: readonly string[]): RunOutcomes => ({
    rules: [{ id: 'token/rule', verdict, reason: '', shownBy: 'x1' }],
    exchanges: checks.map((check, at) => ({ id: `x${at + 1}`, part: { number: 1, check } })),
  });
  const now = run('fail', 'token/rule@longer');

  it.each<[string, RunOutcomes, RunOutcomes, ChangeKind]>([
    ['that was tried', run('pass', 'token/rule', 'token/rule@longer'), now, 'newlyBroken'],
    ['that was not', run('pass', 'token/rule'), now, 'newlyTried'],
    [
      'that was not, by number',
      run('pass', 'token/rule'),
      run('fail', 'token/rule:4'),
      'newlyTried',
    ],
    ['that was not, as no way was', run('untestable'), now, 'newlyTried'],
    ['whose waiver is gone', run('waived', 'token/rule'), now, 'newlyBroken'],
    ['of another rule', run('pass', 'token/rule'), run('fail', 'token/other'), 'newlyBroken'],
    ['of a run that kept no exchanges', runOf('pass'), now, 'newlyBroken'],
  ])('%s', (_way, before, after, kind) => {
    const { newlyBroken, newlyTried = [] } = ruleChanges(before, after);
    expect({ newlyBroken: newlyBroken.length, newlyTried: newlyTried.length }).toEqual({
      newlyBroken: Number(kind === 'newlyBroken'),
      newlyTried: Number(kind === 'newlyTried'),
    });
  });
});

it('a scenario of a certification is compared like a rule, with what was missing', () => {
  const before = { rules: [], scenarios: [{ name: 'ban', verdict: 'pass', missing: [] }] };
  const now = { name: 'ban', verdict: 'inconclusive', reason: 'it ended', missing: ['a token'] };
  expect(ruleChanges(before, { rules: [], scenarios: [now] }).noLongerJudged).toEqual([
    { rule: 'scenario ban', before: 'pass', after: 'inconclusive', reason: 'it ended; a token' },
  ]);
});

it('a rule that a run does not have keeps the reason that it had', () => {
  const { noLongerJudged } = ruleChanges(runOf('fail'), runOf(null));
  expect(noLongerJudged).toEqual([
    { rule: 'token/rule', before: 'fail', after: null, reason: 'it is fail' },
  ]);
});
