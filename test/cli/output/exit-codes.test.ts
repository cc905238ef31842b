import { describe, expect, test } from 'vitest';
import {
  exitCodeOfComparison,
  exitCodeOfFindMax,
  exitCodeOfLoad,
  exitCodeOfSelfcheck,
  exitCodeOfSelfTest,
  exitOfCertification,
  exitOfCheck,
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
  type Document = Parameters<typeof exitOfCheck>[0];
  type Strictness = Parameters<typeof exitOfCheck>[1];
  const exit = (document: object, strictness: Strictness = {}) =>
    exitOfCheck(
      { suite: 'full', verdict: 'conformant', summary: SUMMARY, ...document } as Document,
      strictness,
    );
  const failed = { verdict: 'not-conformant', summary: { ...SUMMARY, fail: 2, inconclusive: 1 } };
  const waived = { summary: { ...SUMMARY, waived: 1 } };
  const silent = { verdict: 'incomplete', summary: { ...SUMMARY, pass: 0, untestable: 9 } };
  const warned = { summary: { ...SUMMARY, warn: 1 } };
  const untestable = { summary: { ...SUMMARY, untestable: 1 } };
  const idleWaiver = { waivers: [{ rule: 'a/*', problem: 'it matches no failure' }] };
  const inconclusive = { summary: { ...SUMMARY, inconclusive: 1 } };

  test.each<[string, object, Strictness, number, string]>([
    ['all passed', {}, {}, 0, 'no rule failed'],
    ['a rule failed', failed, {}, 1, '2 rules failed'],
    ['a rule warned', warned, {}, 0, 'no rule failed; 1 warning (--strict would fail)'],
    ['a rule warned, --strict', warned, { strict: true }, 1, '--strict, 1 warning'],
    ['a violation was waived', waived, {}, 0, 'no rule failed; 1 violation waived'],
    ['a rule was untestable', untestable, {}, 0, 'no rule failed; 1 untestable'],
    [
      'a rule was untestable, --require-complete',
      untestable,
      { requireComplete: true },
      1,
      '--require-complete, 1 untestable',
    ],
    [
      'the suite asks for every rule',
      { verdict: 'incomplete', ...untestable },
      {},
      1,
      'suite full requires every rule, 1 untestable',
    ],
    [
      'a rule was inconclusive',
      { verdict: 'incomplete', ...inconclusive },
      {},
      3,
      '1 rule inconclusive',
    ],
    ['no rule was judged', silent, {}, 3, 'no rule was judged'],
    ['nor asked for', silent, { requireComplete: true }, 3, 'no rule was judged'],
    ['a waiver did nothing', idleWaiver, {}, 0, 'no rule failed'],
    [
      'a waiver did nothing, --strict-waivers',
      idleWaiver,
      { strictWaivers: true },
      1,
      '--strict-waivers, 1 waiver without effect or expired',
    ],
    ['interrupted after a failure', { ...failed, interrupted: true }, {}, 130, 'interrupted'],
  ])('%s', (_case, document, strictness, code, reason) => {
    expect(exit(document, strictness)).toEqual({ code, reason });
  });
});

const FAILED = { verdict: 'not-conformant', summary: { ...SUMMARY, fail: 1 } };
const FAILED_SCENARIO = { verdict: 'not-conformant', scenarios: [{ verdict: 'fail' }] };

test.each<[string, object, Parameters<typeof exitOfCertification>[1], number, string]>([
  ['all passed', {}, {}, 0, 'no rule failed'],
  ['a rule failed', FAILED, {}, 1, '1 rule failed'],
  ['a scenario failed', FAILED_SCENARIO, {}, 1, '1 scenario failed'],
  [
    'a rule warned, --strict',
    { summary: { ...SUMMARY, warn: 1 } },
    { strict: true },
    1,
    '--strict, 1 warning',
  ],
  ['no rule was judged', { summary: { ...SUMMARY, pass: 0 } }, {}, 3, 'no rule was judged'],
  [
    'a scenario was inconclusive',
    { scenarios: [{ verdict: 'inconclusive' }] },
    {},
    3,
    '1 scenario inconclusive',
  ],
  [
    'no certificate to sign',
    {},
    { lacksCertificate: true },
    3,
    '--sign-key, and there is no certificate',
  ],
  ['interrupted', { interrupted: true }, {}, 130, 'interrupted'],
])('certify: %s', (_case, result, strictness, code, reason) => {
  const whole = { verdict: 'conformant', summary: SUMMARY, scenarios: [], ...result };
  type Result = Parameters<typeof exitOfCertification>[0];
  expect(exitOfCertification(whole as unknown as Result, strictness)).toEqual({ code, reason });
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
