import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { addTroubles, linesOf } from '../../tools/trouble-list.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Trouble = Parameters<typeof linesOf>[0][number];

const TOOL = fileURLToPath(new URL('../../tools/trouble-list.mjs', import.meta.url));
const some = (kind: Trouble['kind'], count: number, message: string): Trouble[] =>
  Array.from({ length: count }, (_, index) => ({ kind, name: `${kind} ${index}.`, message }));
const long = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');

test('nothing is said where there is no trouble', () => {
  expect(linesOf([])).toEqual([]);
});

test('what failed stands by name with its message, and what is flaky apart from it', () => {
  const troubles: Trouble[] = [
    { kind: 'FLAKY', name: 'a.test.ts > waits', message: 'expected 1 to be 2' },
    { kind: 'FAILED', name: 'lint', message: '\u001b[31ma.ts:3\u001b[39m  \n\n  bad' },
  ];
  expect(linesOf(troubles)).toEqual([
    '',
    '== Failed: 1',
    '- lint',
    '    a.ts:3',
    '      bad',
    '',
    '== Flaky: passed only when tried again: 1',
    '- a.test.ts > waits',
    '    expected 1 to be 2',
  ]);
});

test('of a long message stand the first lines, the last, and those that tell', () => {
  const message = long.replace('line 100\n', 'SURVIVED  carpool/tag\n');
  expect(linesOf(some('FAILED', 1, message)).slice(3)).toEqual([
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((index) => `    line ${index}`),
    '    SURVIVED  carpool/tag',
    '    line 198',
    '    line 199',
    '    (189 lines left out)',
  ]);
});

test.each([1, 3, 10, 20, 55])('%i failures are all named, in 60 lines at most', (count) => {
  const lines = linesOf([...some('FAILED', count, long), ...some('FLAKY', 1, long)]);
  expect(lines.length).toBeLessThanOrEqual(60);
  for (const { name } of some('FAILED', count, '')) expect(lines).toContain(`- ${name}`);
  expect(lines).toContain('- FLAKY 0.');
});

test('of more failures than lines it is said how many are left out', () => {
  const lines = linesOf(some('FAILED', 100, long));
  expect(lines).toHaveLength(60);
  expect(lines.at(-1)).toBe('and 43 lines more');
});

test('a line without end is cut', () => {
  const widest = Math.max(...linesOf(some('FAILED', 1, 'x'.repeat(9999))).map((one) => one.length));
  expect(widest).toBeLessThan(400);
});

test('as a program it adds a failure, and prints the list', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'troubles');
  const run = (args: string[], input = ''): string =>
    execFileSync(process.execPath, [TOOL, file, ...args], { input, encoding: 'utf8' });
  expect(run([])).toBe('');
  run(['--add', 'install'], 'npm error: no network\n');
  addTroubles(file, some('FLAKY', 1, 'late'));
  expect(run([]).split('\n')).toEqual([
    '',
    '== Failed: 1',
    '- install',
    '    npm error: no network',
    '',
    '== Flaky: passed only when tried again: 1',
    '- FLAKY 0.',
    '    late',
    '',
  ]);
});
