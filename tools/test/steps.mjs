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
 * @typedef {object} Step
 * @property {string} name
 * @property {boolean} [isNeeded] whether nothing can be run after it failed
 * @property {(isCaptured: boolean) => Promise<Outcome>} run `isCaptured`: whether the output is kept
 *   for the list of failures; a terminal shows it in colour otherwise
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
    run: async (isCaptured) => {
      const { ok, output } = await run(file, args, { env, isCaptured });
      return outcomeOfCommand(name, ok, output);
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
 * @param {{ tags?: string, node?: string, env?: Environment }} [options] `tags`: filter of vitest;
 *   `node`: file of the Node to run them with
 * @returns {Step}
 */
export function tests(name, { tags, node: file = process.execPath, env } = {}) {
  return {
    name,
    run: async (isCaptured) => {
      const folder = mkdtempSync(join(tmpdir(), 'fareproof-tests-'));
      const report = join(folder, 'report.json');
      const reporter = join(ROOT, 'tools/test/reporter.mjs');
      const args = [
        join(ROOT, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--reporter=default',
        `--reporter=${reporter}`,
        ...(tags === undefined ? [] : [`--tagsFilter=${tags}`]),
      ];
      // Whatever a test starts as `node` is this Node too.
      const PATH = [dirname(file), process.env['PATH']].join(delimiter);
      try {
        const { ok } = await run(file, args, {
          env: { ...env, PATH, FAREPROOF_TEST_REPORT: report },
          isCaptured,
        });
        return outcomeOfTests(name, existsSync(report) ? readFileSync(report, 'utf8') : null, ok);
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
 * @returns {Step & { file: string }} `file`: the Node installed
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
    file: join(folder, 'node_modules', name, 'bin/node'),
  };
}

/**
 * Installs Debian's Chromium, in which the pages are tested, where there is none.
 *
 * @returns {Step}
 */
export function chromium() {
  return debian('chromium', '/usr/bin/chromium');
}

/**
 * Installs Debian's NATS server, over which agents are tested, where there is none.
 *
 * @returns {Step}
 */
export function natsServer() {
  return debian('nats-server', '/usr/sbin/nats-server');
}

/**
 * Installs Debian's Prometheus, against which metrics are tested, where there is none.
 *
 * @returns {Step}
 */
export function prometheus() {
  return debian('prometheus', '/usr/bin/prometheus');
}

/**
 * Installs Debian's strace, which shows that requests are on disk before they are sent, where there is none.
 *
 * @returns {Step}
 */
export function strace() {
  return debian('strace', '/usr/bin/strace');
}

/**
 * Installs a shell of Debian whose completion is tested, where there is none.
 *
 * @param {'zsh' | 'fish'} name
 * @returns {Step}
 */
export function shell(name) {
  return debian(name, `/usr/bin/${name}`);
}

/**
 * @param {string} pack a package of Debian
 * @param {string} file a command of it, which knows --version
 * @returns {Step}
 */
function debian(pack, file) {
  const name = `install ${pack}`;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const retries = ['-o', 'Acquire::Retries=3'];
  const update = command(name, 'apt-get', ['update', ...retries], env);
  const packages = ['--no-install-recommends', pack];
  const install = command(name, 'apt-get', ['install', '-y', ...retries, ...packages], env);
  const version = command(name, file, ['--version']);
  return {
    name,
    run: async (isCaptured) => {
      for (const step of existsSync(file) ? [] : [update, install]) {
        const outcome = await step.run(isCaptured);
        if (outcome.failures.length > 0) return outcome;
      }
      return version.run(isCaptured);
    },
  };
}

/**
 * Runs a command in the root of the repository; its output is shown as it comes.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ env: Environment | undefined, isCaptured: boolean }} options
 * @returns {Promise<{ ok: boolean, output: string }>} `output` is empty if it is not captured
 */
function run(file, args, { env, isCaptured }) {
  const stdio = isCaptured ? 'pipe' : 'inherit';
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(file, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', stdio, stdio],
    });
    for (const [from, to] of /** @type {const} */ ([
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ])) {
      from?.on('data', (chunk) => {
        output += chunk;
        to.write(chunk);
      });
    }
    child.once('error', (error) => {
      console.error(error.message);
      resolve({ ok: false, output: error.message });
    });
    child.once('close', (status) => resolve({ ok: status === 0, output }));
  });
}
