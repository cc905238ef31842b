import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const LAUNCHER = fileURLToPath(new URL('../../../../bin/fareproof.js', import.meta.url));

/** A client that writes its id to a file, and waits. */
const CLIENT = `require('node:fs').writeFileSync('client.pid', \`\${process.pid}\\n\`); setInterval(() => {}, 1000)`;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it.each(['SIGKILL', 'SIGTERM'] as const)('%s ends the client with the command', async (signal) => {
  const cwd = temporaryFolder();
  const command = [
    'certify',
    '--scenario',
    'steady-platform',
    '--',
    process.execPath,
    '-e',
    CLIENT,
  ];
  const child: ChildProcess = spawn(process.execPath, [LAUNCHER, ...command], {
    cwd,
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const file = join(cwd, 'client.pid');
  const text = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  await expect.poll(text).toContain('\n');
  const pid = Number(text());
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
  await expect.poll(() => isAlive(pid)).toBe(false);
});
