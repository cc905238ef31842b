import { expect, test } from 'vitest';
import { tallyOfStep, tallyOfTests } from '../../tools/tally.mjs';

const named = (...names: string[]) => names.map((name) => ({ name, message: `why ${name}` }));

const report = (passed: number, failed: string[] = [], flaky: string[] = []): string =>
  JSON.stringify({ passed, failed: named(...failed), flaky: named(...flaky) });

const tally = (text: string | null, ok: boolean) => tallyOfTests('tests', text, ok);

test('a step counts as one, and says what it printed where it failed', () => {
  expect(tallyOfStep('lint', true, 'fine')).toEqual({ passed: 1, failed: 0, troubles: [] });
  expect(tallyOfStep('lint', false, 'a.ts: bad')).toEqual({
    passed: 0,
    failed: 1,
    troubles: [{ kind: 'FAILED', name: 'lint', message: 'a.ts: bad' }],
  });
});

test('a run of tests counts its tests, and names those that failed', () => {
  expect(tally(report(7), true)).toEqual({ passed: 7, failed: 0, troubles: [] });
  expect(tally(report(5, ['a', 'b']), false)).toEqual({
    passed: 5,
    failed: 2,
    troubles: [
      { kind: 'FAILED', name: 'tests: a', message: 'why a' },
      { kind: 'FAILED', name: 'tests: b', message: 'why b' },
    ],
  });
});

test('what passed only when tried again has passed, and is named', () => {
  expect(tally(report(7, [], ['a']), true)).toEqual({
    passed: 7,
    failed: 0,
    troubles: [{ kind: 'FLAKY', name: 'tests: a', message: 'why a' }],
  });
});

test('a run that failed outside its tests counts a failure', () => {
  const { troubles, ...counts } = tally(report(7, [], ['a']), false);
  expect(counts).toEqual({ passed: 7, failed: 1 });
  expect(troubles.map(({ kind, name }) => [kind, name])).toEqual([
    ['FLAKY', 'tests: a'],
    ['FAILED', 'tests'],
  ]);
});

test.each([
  [null, true],
  ['{"passed', false],
  ['{}', true],
  [report(0), true],
])('a run without a whole report, or without tests, counts a failure: %s', (text, ok) => {
  const { troubles, ...counts } = tally(text, ok);
  expect(counts).toEqual({ passed: 0, failed: 1 });
  expect(troubles).toMatchObject([{ kind: 'FAILED', name: 'tests' }]);
});
