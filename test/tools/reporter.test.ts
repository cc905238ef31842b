import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../tools/test/outcome.mjs';
import TestReporter from '../../tools/test/reporter.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const FILES: Readonly<Record<string, string>> = {
  'mixed.test.mjs': `import { describe, expect, test } from 'vitest';
test('passes', () => {});
test('fails', () => expect('this').toBe('that'));
describe('a group', () => test('passes too', () => {}));`,
  'setup.test.mjs': `import { beforeAll, describe, test } from 'vitest';
describe('prepared', () => {
  beforeAll(() => { throw new Error('no preparation'); });
  test('waits for it', () => {});
});`,
  'unloadable.test.mjs': `import './not-there.mjs';`,
  'unhandled.test.mjs': `import { test } from 'vitest';
test('leaves something behind', async () => {
  void Promise.reject(new Error('left behind'));
  await new Promise((resolve) => setTimeout(resolve, 10));
});`,
  'vitest.config.mjs': `export default { test: { include: ['*.test.mjs'], testTimeout: 120_000 } };`,
};

afterEach(() => vi.unstubAllEnvs());

test('a run without tests is reported too', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'report.json');
  vi.stubEnv('FAREPROOF_TEST_REPORT', file);
  new TestReporter().onTestRunEnd([], []);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ passed: 0, failures: [] });
});

test('a report holds the number of tests that passed, and by name what failed', () => {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'report.json');
  const { status } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      `--reporter=${join(ROOT, 'tools/test/reporter.mjs')}`,
    ],
    { cwd: folder, env: { ...process.env, FAREPROOF_TEST_REPORT: file }, stdio: 'ignore' },
  );
  expect(status).toBe(1);
  const report = JSON.parse(readFileSync(file, 'utf8')) as Outcome;
  expect(report.passed).toBe(3);
  const messages = Object.fromEntries(report.failures.map(({ name, message }) => [name, message]));
  expect(messages).toEqual({
    'mixed.test.mjs > fails': expect.stringMatching(/expected 'this' to be 'that'.*\n +at .*:3:/),
    'setup.test.mjs > prepared': expect.stringContaining('no preparation'),
    'unloadable.test.mjs': expect.stringContaining('not-there.mjs'),
    'outside of any test': expect.stringContaining('left behind'),
  });
});
