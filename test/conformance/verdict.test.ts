import { describe, expect, it } from 'vitest';
import {
  inconclusive,
  pass,
  runVerdict,
  untestable,
  verdictOf,
  violated,
} from '../../src/conformance/verdict.ts';
import type { RuleVerdict } from '../../src/documents/rule-verdict.ts';

describe('verdictOf', () => {
  it.each([
    [pass('it does'), 'must', 'pass'],
    [pass('it does'), 'should', 'pass'],
    [violated('a refusal', 'an answer'), 'must', 'fail'],
    [violated('a refusal', 'an answer'), 'should', 'warn'],
    [inconclusive('no answer'), 'must', 'inconclusive'],
    [inconclusive('no answer'), 'should', 'inconclusive'],
    [untestable('no code'), 'must', 'untestable'],
    [untestable('no code'), 'should', 'untestable'],
  ] as const)('makes of %j at the level %s: %s', (judgement, level, verdict) => {
    expect(verdictOf(judgement, level)).toBe(verdict);
  });
});

describe('a judgement', () => {
  it('keeps its reason, its evidence and its remedy', () => {
    expect(violated('a refusal', 'an answer', 'x1', ['x1', 'x2'])).toEqual({
      verdict: 'violated',
      reason: 'an answer',
      expected: 'a refusal',
      keyExchange: 'x1',
      exchanges: ['x1', 'x2'],
    });
    expect(pass('it does', ['x1'])).toEqual({
      verdict: 'pass',
      reason: 'it does',
      exchanges: ['x1'],
    });
    expect(inconclusive('no answer', ['x1'])).toMatchObject({
      reason: 'no answer',
      exchanges: ['x1'],
    });
    expect(untestable('no code', 'give one')).toMatchObject({
      reason: 'no code',
      remedy: 'give one',
    });
  });
});

describe('runVerdict', () => {
  it('calls no run conformant that was interrupted', () => {
    expect(runVerdict([{ verdict: 'pass' }], false, true).verdict).toBe('incomplete');
    expect(runVerdict([{ verdict: 'fail' }], false, true).verdict).toBe('not-conformant');
  });

  const run = (verdicts: string, mustBeComplete = false) =>
    runVerdict(
      verdicts.split(' ').map((verdict) => ({ verdict: verdict as RuleVerdict })),
      mustBeComplete,
    );

  it.each([
    ['pass', 'conformant', true],
    ['pass warn', 'conformant', true],
    ['pass excluded', 'conformant', true],
    ['pass untestable', 'conformant', false],
    ['untestable untestable', 'incomplete', false],
    ['untestable excluded', 'incomplete', false],
    ['warn untestable', 'conformant', false],
    ['waived untestable', 'conformant', false],
    ['pass inconclusive', 'incomplete', false],
    ['pass fail', 'not-conformant', true],
    ['fail inconclusive untestable', 'not-conformant', false],
  ])('of %s is %s; complete: %s', (verdicts, verdict, complete) => {
    expect(run(verdicts)).toMatchObject({ verdict, complete });
  });

  it.each([
    ['pass warn excluded', 'conformant', true],
    ['pass untestable', 'incomplete', false],
    ['pass inconclusive', 'incomplete', false],
    ['fail untestable', 'not-conformant', false],
  ])('of %s is %s where it must be complete', (verdicts, verdict, complete) => {
    expect(run(verdicts, true)).toMatchObject({ verdict, complete });
  });

  it('counts the rules by verdict, zeros included', () => {
    expect(run('pass pass fail warn warn warn inconclusive excluded').summary).toEqual({
      pass: 2,
      fail: 1,
      warn: 3,
      inconclusive: 1,
      untestable: 0,
      excluded: 1,
      waived: 0,
    });
  });
});
