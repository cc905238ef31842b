import { expect, it } from 'vitest';
import { processRunner } from '../../../../src/cli/commands/certify/client-process.ts';
import type { ClientEnd } from '../../../../src/conformance/index.ts';

const LENGTH = 200_000;

/** Runs a client that is this script, in which `spawn` starts a process. */
function runScript(script: string): Promise<ClientEnd> {
  const command = [
    process.execPath,
    '-e',
    `const { spawn } = require('node:child_process');${script}`,
  ];
  const run = processRunner(command, { cwd: process.cwd(), env: process.env });
  return run({} as never, 60_000, null);
}

const openPipes = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;

it('destroys the pipes that a daemon of a client keeps open, and keeps the output', {
  timeout: 120_000,
}, async () => {
  const before = openPipes();
  const { exitCode, ended, output } = await runScript(`
const daemon = spawn('sleep', ['600'], { detached: true, stdio: 'inherit' });
daemon.unref();
console.log(daemon.pid);
process.stdout.write('o'.repeat(${LENGTH}));
process.stderr.write('last words');`);
  const pid = Number(/^\d+/.exec(output)?.[0]);
  try {
    expect([exitCode, ended]).toEqual([0, 'by-itself']);
    expect(output.match(/o/g)).toHaveLength(LENGTH + 1);
    expect(output).toContain('last words');
    expect(() => process.kill(pid, 0)).not.toThrow();
    await expect.poll(openPipes).toBe(before);
  } finally {
    process.kill(pid);
  }
});

it('keeps all output of a client', { timeout: 120_000 }, async () => {
  const { exitCode, output } = await runScript(
    `process.stdout.write('o'.repeat(${LENGTH}), () => process.exit(5));`,
  );
  expect([exitCode, output.length]).toEqual([5, LENGTH]);
});
