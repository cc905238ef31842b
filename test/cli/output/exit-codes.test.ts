import { describe, expect, test } from 'vitest';
import {
  exitCodeOfCertification,
  exitCodeOfCheck,
  exitCodeOfComparison,
  exitCodeOfFindMax,
  exitCodeOfLoad,
  exitCodeOfSelfcheck,
  exitCodeOfSelfTest,
  worseExitCode,
} from '../../../src/cli/output/exit-codes.ts';

const SUMMARY = {
  fail: 0,
  warn: 0,
  inconclusive: 0,
  untestable: 0,
  waived: 0,
  excluded: 0,
  pass: 9,
};

describe('check', () => {
  type Document = Parameters<typeof exitCodeOfCheck>[0];
  type Strictness = Parameters<typeof exitCodeOfCheck>[1];
  const exitCode = (document: object, strictness: Strictness = {}): number =>
    exitCodeOfCheck(
      { verdict: 'conformant', summary: SUMMARY, ...document } as Document,
      strictness,
    );
  const warned = { summary: { ...SUMMARY, warn: 1 } };
  const untestable = { summary: { ...SUMMARY, untestable: 1 } };
  const idleWaiver = { waivers: [{ rule: 'a/*', problem: 'it matches no failure' }] };
  const inconclusive = { summary: { ...SUMMARY, inconclusive: 1 } };

  test.each<[string, object, Strictness, number]>([
    ['all passed', {}, {}, 0],
    ['a rule failed', { verdict: 'not-conformant', ...inconclusive }, {}, 1],
    ['a rule warned', warned, {}, 0],
    ['a rule warned, --strict', warned, { strict: true }, 1],
    ['a rule was untestable', untestable, {}, 0],
    ['a rule was untestable, --require-complete', untestable, { requireComplete: true }, 1],
    ['the suite asks for every rule', { verdict: 'incomplete', ...untestable }, {}, 1],
    ['a rule was inconclusive', { verdict: 'incomplete', ...inconclusive }, {}, 3],
    ['a waiver did nothing', idleWaiver, {}, 0],
    ['a waiver did nothing, --strict-waivers', idleWaiver, { strictWaivers: true }, 1],
    ['interrupted after a failure', { verdict: 'not-conformant', interrupted: true }, {}, 130],
  ])('%s', (_case, document, strictness, code) => {
    expect(exitCode(document, strictness)).toBe(code);
  });
});

test.each<[string, object, { strict?: true }, number]>([
  ['all passed', {}, {}, 0],
  ['a rule failed', { verdict: 'not-conformant' }, {}, 1],
  ['a rule warned, --strict', { summary: { ...SUMMARY, warn: 1 } }, { strict: true }, 1],
  ['no rule was judged', { summary: { ...SUMMARY, pass: 0 } }, {}, 3],
  ['a scenario was inconclusive', { scenarios: [{ verdict: 'inconclusive' }] }, {}, 3],
  ['interrupted', { interrupted: true }, {}, 130],
])('certify: %s', (_case, result, strictness, code) => {
  const whole = { verdict: 'conformant', summary: SUMMARY, scenarios: [], ...result };
  type Result = Parameters<typeof exitCodeOfCertification>[0];
  expect(exitCodeOfCertification(whole as unknown as Result, strictness)).toBe(code);
});

test('load: a failure takes precedence over an invalid run', () => {
  expect(exitCodeOfLoad([{ verdict: 'held' }, { verdict: 'held' }])).toBe(0);
  expect(exitCodeOfLoad([{ verdict: 'held' }, { verdict: 'invalid' }])).toBe(3);
  expect(exitCodeOfLoad([{ verdict: 'invalid' }, { verdict: 'fell-short' }])).toBe(1);
});

test.each([
  ['found', 0],
  ['nothing-fell-short', 0],
  ['nothing-held', 1],
  ['generator-limited', 3],
  ['target-unreachable', 3],
  ['interrupted', 3],
] as const)('load --find-max: %s is %d', (verdict, code) => {
  expect(exitCodeOfFindMax(verdict)).toBe(code);
});

test.each([
  ['better', 0],
  ['equivalent', 0],
  ['worse', 1],
  ['inconclusive', 3],
] as const)('compare: %s is %d', (verdict, code) => {
  expect(exitCodeOfComparison(verdict)).toBe(code);
});

test('compare --self-test: fails beyond 8 % of false alarms', () => {
  expect(exitCodeOfSelfTest({ falseAlarms: 17, trials: 200 })).toBe(1);
  expect(exitCodeOfSelfTest({ falseAlarms: 16, trials: 200 })).toBe(0);
  expect(exitCodeOfSelfTest(null)).toBe(3);
});

test('selfcheck', () => {
  type Document = Parameters<typeof exitCodeOfSelfcheck>[0];
  const exitCode = (document: object): number => exitCodeOfSelfcheck(document as Document);
  expect(exitCode({ verdict: 'proven' })).toBe(0);
  expect(exitCode({ verdict: 'fell-short' })).toBe(1);
  expect(exitCode({ verdict: 'inconclusive' })).toBe(3);
  expect(exitCode({ verdict: 'fell-short', interrupted: true })).toBe(130);
});

test('the worst of several commands counts', () => {
  expect([0, 3, 1, 0].reduce(worseExitCode)).toBe(1);
  expect([0, 3, 0].reduce(worseExitCode)).toBe(3);
  expect([1, 2].reduce(worseExitCode)).toBe(2);
  expect([130, 0].reduce(worseExitCode)).toBe(130);
  expect([0, 2, 130, 1].reduce(worseExitCode)).toBe(130);
  expect([0, 137, 0].reduce(worseExitCode)).toBe(137);
});
