// The kinds of step that a test run consists of.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outcomeOfCommand, outcomeOfTests } from './outcome.mjs';

/**
 * @typedef {import('./outcome.mjs').Outcome} Outcome
 *
 * @typedef {'shown' | 'echoed' | 'held'} Output what a step does with its output: a terminal shows it in
 *   colour, or it is kept for the list of failures, and shown as it comes or in one piece at the end
 *
 * @typedef {object} Step
 * @property {string} name
 * @property {(output: Output) => Promise<Outcome>} run
 *
 * @typedef {Record<string, string>} Environment
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A command, counted as one.
 *
 * @param {string} name
 * @param {string} file
 * @param {readonly string[]} args
 * @param {Environment} [env]
 * @returns {Step}
 */
export function command(name, file, args, env) {
  return {
    name,
    run: async (output) => {
      const { ok, text } = await run(file, args, { env, output });
      return outcomeOfCommand(name, ok, text);
    },
  };
}

/**
 * A script of package.json.
 *
 * @param {string} name
 */
export function script(name) {
  return command(name, 'npm', ['run', '--silent', name]);
}

/**
 * The tests of vitest, counted one by one.
 *
 * @param {string} name
 * @param {{ filter?: readonly string[], node?: string, env?: Environment }} [options] `filter`: arguments
 *   of vitest; `node`: file of the Node to run them with
 * @returns {Step}
 */
export function tests(name, { filter = [], node: file = process.execPath, env } = {}) {
  return {
    name,
    run: async (output) => {
      const folder = mkdtempSync(join(tmpdir(), 'fareproof-tests-'));
      const report = join(folder, 'report.json');
      const args = [
        join(ROOT, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...filter,
      ];
      // Whatever a test starts as `node` is this Node too.
      const PATH = [dirname(file), process.env['PATH']].join(delimiter);
      try {
        const { ok, text } = await run(file, args, { env: { ...env, PATH }, output });
        return outcomeOfTests(
          name,
          existsSync(report) ? readFileSync(report, 'utf8') : null,
          ok,
          text,
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/**
 * Installs a line of Node from the package registry.
 *
 * @param {string} version a range or a tag of npm, such as `24` or `latest`
 * @param {string} folder where it goes
 * @returns {Step & { version: string, file: string }} `file`: the Node installed
 */
export function node(version, folder) {
  const name = `node-linux-${process.arch}`;
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--no-package-lock'];
  return {
    ...command(`install node ${version}`, 'npm', [
      'install',
      '--prefix',
      folder,
      ...quiet,
      `${name}@${version}`,
    ]),
    version,
    file: join(folder, 'node_modules', name, 'bin/node'),
  };
}

/**
 * Installs the packages of Debian that are not there.
 *
 * @param {Readonly<Record<string, string>>} packages file of each, by its package
 * @returns {Step}
 */
export function debian(packages) {
  const name = 'install Debian packages';
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (/** @type {string[]} */ ...args) =>
    command(name, 'apt-get', [...args, '-o', 'Acquire::Retries=3'], env);
  return {
    name,
    run: async (output) => {
      const missing = Object.keys(packages).filter((pack) => !existsSync(packages[pack] ?? ''));
      const install = ['install', '-y', '--no-install-recommends', ...missing];
      for (const step of missing.length === 0 ? [] : [aptGet('update'), aptGet(...install)]) {
        const outcome = await step.run(output);
        if (outcome.failures.length > 0) return outcome;
      }
      return { passed: 1, failures: [] };
    },
  };
}

/**
 * Runs a command in the root of the repository.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ env: Environment | undefined, output: Output }} options
 * @returns {Promise<{ ok: boolean, text: string }>} `text`: its output, empty if a terminal shows it
 */
function run(file, args, { env, output }) {
  const stdio = output === 'shown' ? 'inherit' : 'pipe';
  return new Promise((resolve) => {
    let text = '';
    const child = spawn(file, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', stdio, stdio],
    });
    for (const from of [child.stdout, child.stderr]) {
      from?.on('data', (chunk) => {
        text += chunk;
        if (output === 'echoed') process.stdout.write(chunk);
      });
    }
    child.once('error', (error) => {
      console.error(error.message);
      resolve({ ok: false, text: error.message });
    });
    child.once('close', (status) => {
      if (output === 'held') process.stdout.write(text);
      resolve({ ok: status === 0, text });
    });
  });
}
