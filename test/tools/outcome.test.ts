import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureLines, outcomeOfCommand, outcomeOfTests } from '../../tools/test/outcome.mjs';

type Failure = Parameters<typeof failureLines>[0][number];

/** A report of vitest, with tests of one file that failed. */
const report = (passed: number, ...failed: string[]): string =>
  JSON.stringify({
    numPassedTests: passed,
    testResults: failed.map((title) => ({
      name: resolve('a.test.ts'),
      status: 'failed',
      message: '',
      assertionResults: [
        { status: 'passed', title: 'another', ancestorTitles: [], failureMessages: [] },
        {
          status: 'failed',
          title,
          ancestorTitles: ['a group'],
          failureMessages: [`why ${title}\n    at node_modules/runner.js`],
        },
      ],
    })),
  });

describe('a command', () => {
  test('counts as one', () => {
    expect(outcomeOfCommand('lint', true, 'fine')).toEqual({ passed: 1, failures: [] });
  });

  test('that failed brings the lines that say what is wrong', () => {
    const output = '12 files\n\u001b[31ma.ts:3 error\u001b[39m: bad\nSURVIVED  carpool/tag\ndone';
    expect(outcomeOfCommand('lint', false, output)).toEqual({
      passed: 0,
      failures: [
        { name: 'lint', message: '\u001b[31ma.ts:3 error\u001b[39m: bad\nSURVIVED  carpool/tag' },
      ],
    });
  });

  test('that failed without such a line brings its last ones', () => {
    const output = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');
    const [failure] = outcomeOfCommand('lint', false, output).failures;
    expect(failure?.message).toMatch(/^line 18\n.*line 29$/s);
  });
});

describe('a run of tests', () => {
  test('counts its tests, and names those that failed', () => {
    expect(outcomeOfTests('tests', report(7), true)).toEqual({ passed: 7, failures: [] });
    expect(outcomeOfTests('tests', report(5, 'a', 'b'), false)).toEqual({
      passed: 5,
      failures: [
        { name: 'tests: a.test.ts > a group > a', message: 'why a' },
        { name: 'tests: a.test.ts > a group > b', message: 'why b' },
      ],
    });
  });

  test('names a file that does not load', () => {
    const file = { name: resolve('a.test.ts'), status: 'failed', message: 'no module' };
    const text = JSON.stringify({
      numPassedTests: 5,
      testResults: [{ ...file, assertionResults: [] }],
    });
    expect(outcomeOfTests('tests', text, false)).toEqual({
      passed: 5,
      failures: [{ name: 'tests: a.test.ts', message: 'no module' }],
    });
  });

  test('tells of an error outside of its tests', () => {
    const output = ' ✓ error.test.ts\n⎯ Unhandled Errors ⎯\nError: late\n ❯ a.ts:3:1\n';
    const [failure] = outcomeOfTests('tests', report(7), false, output).failures;
    expect(failure?.message.split('\n').slice(1, 4)).toEqual([
      '⎯ Unhandled Errors ⎯',
      'Error: late',
      ' ❯ a.ts:3:1',
    ]);
  });

  test.each([
    ['that failed outside of its tests', report(7), false, 7],
    ['without a report', null, true, 0],
    ['with half a report', '{"numPassed', false, 0],
    ['with another report', '{}', true, 0],
    ['without a test', report(0), true, 0],
  ])('%s counts a failure', (_case, text, ok, passed) => {
    const outcome = outcomeOfTests('tests', text, ok);
    expect(outcome).toMatchObject({ passed, failures: [{ name: 'tests' }] });
  });
});

describe('the list of failures', () => {
  const long = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');
  const some = (count: number, message: string): Failure[] =>
    Array.from({ length: count }, (_, index) => ({ name: `test ${index}.`, message }));

  test('is empty if nothing failed', () => {
    expect(failureLines([])).toEqual([]);
  });

  test('has the name and message of each', () => {
    const message = '\u001b[31ma.ts:3\u001b[39m  \n\n  bad';
    expect(failureLines([{ name: 'lint', message }])).toEqual([
      '',
      '== Failed: 1',
      '- lint',
      '    a.ts:3',
      '      bad',
    ]);
  });

  test.each([1, 3, 10, 20, 58])('of %i has every name, in 60 lines at most', (count) => {
    const lines = failureLines(some(count, long));
    expect(lines.length).toBeLessThanOrEqual(60);
    for (const { name } of some(count, '')) expect(lines).toContain(`- ${name}`);
  });

  test('says how many it leaves out', () => {
    const lines = failureLines(some(100, long));
    expect(lines).toHaveLength(60);
    expect(lines.at(-1)).toBe('and 43 more');
  });

  test('cuts an endless line', () => {
    const widths = failureLines(some(1, 'x'.repeat(9999))).map((line) => line.length);
    expect(Math.max(...widths)).toBeLessThan(400);
  });
});
