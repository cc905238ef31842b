// @module-tag long
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const EXAMPLES = fileURLToPath(new URL('../../examples/testing/', import.meta.url));
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

/** Environment without that of this run, which another runner would take for its own. */
const ENVIRONMENT = { PATH: process.env['PATH'], NO_COLOR: '1' };

function run(...args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: EXAMPLES,
    encoding: 'utf8',
    env: ENVIRONMENT,
  });
  return { status, output: stdout + stderr };
}

describe.concurrent('the example of tests', () => {
  it('runs in vitest', () => {
    const { status, output } = run(VITEST, 'run', '--config', 'vitest.config.js');
    expect(output).toContain('2 passed');
    expect(status).toBe(0);
  });

  it('runs in node:test', () => {
    const { status, output } = run('--test', '--test-reporter', 'tap', 'service.node-test.mjs');
    expect(output).toContain('# pass 1');
    expect(status).toBe(0);
  });
});
