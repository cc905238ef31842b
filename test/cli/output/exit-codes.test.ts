import { describe, expect, test } from 'vitest';
import {
  exitCodeOfSelfcheck,
  exitOfCertification,
  exitOfCheck,
  exitOfComparison,
  exitOfFindMax,
  exitOfLoad,
  exitOfLoadSet,
  exitOfSelfTest,
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
  const after = (verdict: string) => ({ rule: 'a/b', before: 'pass', after: verdict, reason: '' });
  const changed = (changes: object = {}) => ({
    failsOnNew: true,
    fixed: [],
    newlyBroken: [],
    noLongerJudged: [],
    stillBroken: [after('fail')],
    ...changes,
  });
  const HELD = 'no rule is newly broken, 1 still broken (--fail-on new)';
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
    ['a rule is still broken, --fail-on new', { ...failed, against: changed() }, {}, 0, HELD],
    [
      'a rule is newly broken, --fail-on new',
      { ...failed, against: changed({ newlyBroken: [after('fail'), after('warn')] }) },
      {},
      1,
      '1 rule newly broken',
    ],
    [
      'a rule is newly tried, --fail-on new',
      { ...failed, against: changed({ newlyTried: [after('fail')] }) },
      {},
      0,
      'no rule is newly broken, 1 still broken, 1 newly tried (--fail-on new)',
    ],
    [
      'a rule newly warns, --fail-on new --strict',
      { ...failed, against: changed({ newlyBroken: [after('warn'), after('waived')] }) },
      { strict: true },
      1,
      '--strict, 1 new warning',
    ],
    [
      'a rule is no longer judged, --fail-on new',
      { ...failed, against: changed({ noLongerJudged: [after('inconclusive')] }) },
      {},
      3,
      '1 rule no longer judged',
    ],
    [
      'a rule is left out, --fail-on new',
      { ...failed, against: changed({ noLongerJudged: [after('excluded')] }) },
      {},
      0,
      HELD,
    ],
    [
      'nothing is judged, --fail-on new',
      { ...silent, against: changed() },
      {},
      3,
      'no rule was judged',
    ],
    [
      'a rule is broken, --against alone',
      { ...failed, against: { ...changed(), failsOnNew: false } },
      {},
      1,
      '2 rules failed',
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

test.each<[string, Parameters<typeof exitOfLoad>[0], number, string]>([
  ['held', { verdict: 'held', reason: 'All held.' }, 0, 'every threshold held'],
  ['short', { verdict: 'fell-short', reason: 'Not held: p99<1ms.' }, 1, 'Not held: p99<1ms'],
  ['invalid', { verdict: 'invalid', reason: 'Sent late.' }, 3, 'the run is invalid'],
  [
    'interrupted',
    { verdict: 'fell-short', reason: 'Not held.', interrupted: true },
    130,
    'interrupted',
  ],
])('load: a run that is %s', (_case, document, code, reason) => {
  expect(exitOfLoad(document)).toEqual({ code, reason });
});

test('load: a failure takes precedence over an invalid run', () => {
  const exit = (...verdicts: ('held' | 'invalid' | 'fell-short')[]) =>
    exitOfLoadSet({ runs: verdicts.map((verdict) => ({ verdict })) });
  expect(exit('held', 'held')).toEqual({ code: 0, reason: '2 held, 0 fell short, 0 invalid' });
  expect(exit('held', 'invalid').code).toBe(3);
  expect(exit('invalid', 'fell-short')).toEqual({
    code: 1,
    reason: '0 held, 1 fell short, 1 invalid',
  });
  expect(exitOfLoadSet({ runs: [], interrupted: true }).code).toBe(130);
});

test.each([
  ['found', 0, 'the highest rate was found'],
  ['nothing-fell-short', 0, 'the objective held at every rate'],
  ['nothing-held', 1, 'the objective held at no rate'],
  ['generator-limited', 3, 'the search is undecided: generator-limited'],
  ['target-unreachable', 3, 'the search is undecided: target-unreachable'],
] as const)('load --find-max: %s is %d', (verdict, code, reason) => {
  expect(exitOfFindMax({ verdict })).toEqual({ code, reason });
  expect(exitOfFindMax({ verdict, interrupted: true }).code).toBe(130);
});

test.each([
  ['better', 0],
  ['equivalent', 0],
  ['worse', 1],
  ['inconclusive', 3],
] as const)('compare: %s is %d', (verdict, code) => {
  expect(exitOfComparison({ verdict })).toEqual({ code, reason: `the candidate is ${verdict}` });
  expect(exitOfComparison({ verdict, interrupted: true }).code).toBe(130);
});

test('compare --self-test: fails beyond 5 % of false alarms', () => {
  const exit = (falseAlarms: number) => exitOfSelfTest({ selfTest: { falseAlarms, trials: 200 } });
  expect(exit(11)).toEqual({ code: 1, reason: '11 false alarms in 200 trials' });
  expect(exit(10).code).toBe(0);
  expect(exit(1).reason).toBe('1 false alarm in 200 trials');
  expect(exitOfSelfTest({}).code).toBe(3);
  expect(exitOfSelfTest({ interrupted: true }).code).toBe(130);
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
