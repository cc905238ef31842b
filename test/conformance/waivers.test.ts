import { describe, expect, it } from 'vitest';
import { applyWaivers, isExpired, waiversSchema } from '../../src/conformance/index.ts';
import { RULE_VERDICTS, type RuleVerdict } from '../../src/documents/rule-verdict.ts';
import fc from '../support/property.ts';

const until = '2027-01-31';
const NOW = Date.parse('2027-01-01T00:00:00Z');

function result(verdicts: Readonly<Record<string, RuleVerdict>>) {
  const rules = Object.entries(verdicts).map(([id, verdict]) => ({
    id,
    verdict,
    level: 'must' as const,
    reason: `seen ${verdict}`,
    clock: null,
    exchanges: [],
    statement: '',
    section: '',
  }));
  const summary = Object.fromEntries(
    RULE_VERDICTS.map((one) => [one, rules.filter(({ verdict }) => verdict === one).length]),
  ) as Record<RuleVerdict, number>;
  return { rules, summary, verdict: 'not-conformant' as const, seed: 1 };
}

const waive = (rule: string) => ({ rule, reason: 'ticket 12', until });

describe('waivers', () => {
  it('a failed rule that is covered is waived, and the run passes', () => {
    const given = result({ 'a/x': 'fail', 'a/y': 'pass' });
    const waived = applyWaivers(given, [waive('a/x')], false, NOW);
    expect(waived.verdict).toBe('conformant');
    expect(waived.summary).toMatchObject({ fail: 0, waived: 1, pass: 1 });
    expect(waived.rules[0]).toMatchObject({
      id: 'a/x',
      verdict: 'waived',
      reason: 'waived until 2027-01-31: ticket 12 (fail: seen fail)',
    });
    expect(waived.waivers).toEqual([waive('a/x')]);
    expect(given.rules[0]?.verdict).toBe('fail');
    const interrupted = { ...given, interrupted: true };
    expect(applyWaivers(interrupted, [waive('a/x')], false, NOW).verdict).toBe('incomplete');
  });

  it('one without a * covers the rule of that id, and none whose id begins with it', () => {
    const given = result({ 'a/x': 'fail', 'a/x-unique': 'fail' });
    const { rules } = applyWaivers(given, [waive('a/x')], false, NOW);
    expect(rules.map(({ verdict }) => verdict)).toEqual(['waived', 'fail']);
  });

  it('one that has expired waives nothing, and the reason of the rule names it', () => {
    const given = result({ 'a/x': 'fail', 'a/y': 'pass' });
    const late = Date.parse('2027-02-01T00:00:00Z');
    const { rules, summary, verdict, waivers } = applyWaivers(given, [waive('a/x')], false, late);
    expect(verdict).toBe('not-conformant');
    expect(summary).toMatchObject({ fail: 1, waived: 0 });
    expect(rules[0]?.reason).toBe('waiver expired on 2027-01-31 (ticket 12): seen fail');
    expect(waivers[0]?.problem).toBe('expired on 2027-01-31; fix the rule or extend the waiver');
  });

  it('one that is valid covers a rule of which another expired', () => {
    const valid = { ...waive('a/x'), until: '2028-01-31' };
    const late = Date.parse('2027-02-01T00:00:00Z');
    const waived = applyWaivers(result({ 'a/x': 'fail' }), [waive('a/*'), valid], false, late);
    expect(waived.rules[0]?.verdict).toBe('waived');
  });

  it('another failing rule still fails the run', () => {
    const waived = applyWaivers(
      result({ 'a/x': 'fail', 'a/y': 'fail' }),
      [waive('a/x')],
      false,
      NOW,
    );
    expect(waived.verdict).toBe('not-conformant');
    expect(waived.summary).toMatchObject({ fail: 1, waived: 1 });
  });

  it('an undecided rule stays undecided, and makes the run incomplete', () => {
    const verdictOf = (other: RuleVerdict, complete: boolean) =>
      applyWaivers(result({ 'a/x': 'fail', 'a/y': other }), [waive('a/x')], complete, NOW).verdict;
    expect(verdictOf('inconclusive', false)).toBe('incomplete');
    expect(verdictOf('untestable', true)).toBe('incomplete');
    expect(verdictOf('untestable', false)).toBe('conformant');
  });

  it('a glob covers all matching rules, including warnings', () => {
    const given = result({ 'a/x': 'fail', 'a/y': 'warn', 'a/z': 'pass', 'b/x': 'fail' });
    const { rules, waivers } = applyWaivers(given, [waive('a/*')], false, NOW);
    expect(rules.map(({ verdict }) => verdict)).toEqual(['waived', 'waived', 'pass', 'fail']);
    expect(waivers[0]?.problem).toBeUndefined();
  });

  it.each([
    ['matches nothing', 'c/*', 'it matches no rule of this run'],
    ['matches a rule that passes', 'a/x', 'the rule passes: remove the waiver'],
    ['matches rules that all pass', 'a/*', 'every rule that it matches passes'],
  ])('one that %s carries its problem', (_, rule, problem) => {
    const given = result({
      'a/x': 'pass',
      'a/y': 'pass',
      'a/z': 'excluded',
      'a/u': 'untestable',
      'b/x': 'fail',
    });
    expect(applyWaivers(given, [waive(rule)], false, NOW).waivers[0]?.problem).toContain(problem);
  });

  it.each(['inconclusive', 'untestable', 'excluded'] as const)(
    'one whose rule is %s in this run has no problem',
    (verdict) => {
      const { waivers } = applyWaivers(result({ 'a/x': verdict }), [waive('a/x')], false, NOW);
      expect(waivers).toEqual([waive('a/x')]);
    },
  );

  it('changes only broken rules', () => {
    const ids = ['a/x', 'a/y', 'b/x', 'b/y'];
    const verdicts = fc.tuple(...ids.map(() => fc.constantFrom(...RULE_VERDICTS)));
    const globs = fc.array(fc.constantFrom('a/*', 'b/*', '*', 'a/x', 'c/*'));
    fc.assert(
      fc.property(verdicts, globs, (some, rules) => {
        const given = result(Object.fromEntries(ids.map((id, at) => [id, some[at]!])));
        const after = applyWaivers(given, rules.map(waive), false, NOW);
        const total = Object.values(after.summary).reduce((sum, count) => sum + count, 0);
        expect(total).toBe(ids.length);
        for (const [at, rule] of after.rules.entries()) {
          const before = given.rules[at];
          if (before?.verdict === 'fail' || before?.verdict === 'warn') continue;
          expect(rule).toEqual(before);
        }
      }),
    );
  });
});

describe('the day of a waiver', () => {
  it('is valid through its last second, in UTC', () => {
    expect(isExpired({ until }, Date.parse('2027-01-31T23:59:59.999Z'))).toBe(false);
    expect(isExpired({ until }, Date.parse('2027-02-01T00:00:00.000Z'))).toBe(true);
    expect(isExpired({ until }, Date.parse('2027-01-31T23:00:00-02:00'))).toBe(true);
  });
});

describe('the shape of a waiver file', () => {
  it.each([
    ['no list', null],
    ['a day that is none', [{ ...waive('a/x'), until: '2027-02-30' }]],
    ['a time', [{ ...waive('a/x'), until: '2027-02-20T10:00:00Z' }]],
    ['no reason', [{ ...waive('a/x'), reason: '  ' }]],
    ['a field that it does not know', [{ ...waive('a/x'), untill: until }]],
  ])('refuses %s', (_, value) => {
    expect(waiversSchema.safeParse(value).success).toBe(false);
  });

  it('describes each field, for editors', () => {
    const fields = Object.values(waiversSchema.element.shape);
    expect(fields.map((field) => field.meta()?.description)).toEqual([
      'A rule id, or a glob such as token/*.',
      'Why the rule may be broken.',
      'Last day of the waiver, in UTC.',
    ]);
  });

  it('accepts a list, also an empty one', () => {
    expect(waiversSchema.parse([waive('a/*')])).toEqual([waive('a/*')]);
    expect(waiversSchema.parse([])).toEqual([]);
  });
});
