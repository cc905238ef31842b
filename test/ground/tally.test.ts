import { expect, test } from 'vitest';
import { tallyOfStep, tallyOfTests } from '../../tools/tally.mjs';

const report = (passed: number, failed: number, broken = 0): string =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    testResults: [
      { status: 'passed', assertionResults: [{ status: 'passed' }] },
      ...(failed > 0 ? [{ status: 'failed', assertionResults: [{ status: 'failed' }] }] : []),
      ...Array.from({ length: broken }, () => ({ status: 'failed', assertionResults: [] })),
    ],
  });

test('a step counts as one', () => {
  expect(tallyOfStep(true)).toEqual({ passed: 1, failed: 0 });
  expect(tallyOfStep(false)).toEqual({ passed: 0, failed: 1 });
});

test('a run of tests counts its tests', () => {
  expect(tallyOfTests(report(7, 0), true)).toEqual({ passed: 7, failed: 0 });
  expect(tallyOfTests(report(5, 2), false)).toEqual({ passed: 5, failed: 2 });
});

test('a file that does not load counts as one failure', () => {
  expect(tallyOfTests(report(5, 0, 2), false)).toEqual({ passed: 5, failed: 2 });
  expect(tallyOfTests(report(5, 1, 1), false)).toEqual({ passed: 5, failed: 2 });
});

test('a run that failed outside its tests counts a failure', () => {
  expect(tallyOfTests(report(7, 0), false)).toEqual({ passed: 7, failed: 1 });
});

test('a run without a whole report, or without tests, counts a failure', () => {
  expect(tallyOfTests(null, true)).toEqual({ passed: 0, failed: 1 });
  expect(tallyOfTests('{"numPassed', false)).toEqual({ passed: 0, failed: 1 });
  expect(tallyOfTests('{}', true)).toEqual({ passed: 0, failed: 1 });
  expect(tallyOfTests(report(0, 0), true)).toEqual({ passed: 0, failed: 1 });
});
