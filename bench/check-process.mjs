import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TARGET = ['--target', 'profile.yaml', '--seed', '1'];
const PROGRAM = fileURLToPath(new URL('../bin/fareproof.js', import.meta.url));

/**
 * Runs `check --target profile.yaml` in a process of its own, with a ledger of its own.
 *
 * @param {string} folder where the profile is
 * @param {object} options
 * @param {string} options.preload source of a module that the process loads first
 * @param {readonly string[]} [options.args] further arguments
 * @param {number} [options.timeoutMs] time after which it is killed
 * @returns {Promise<{ code: number | null, seconds: number, stderr: string }>}
 */
export async function runCheck(folder, { preload, args = [], timeoutMs }) {
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${preload}`, PROGRAM, 'check', ...TARGET, ...args],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'], XDG_STATE_HOME: join(folder, 'state') },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: timeoutMs,
    },
  );
  const startMs = performance.now();
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, seconds: (performance.now() - startMs) / 1000, stderr };
}
