// Runs the steps of `npm test` one after the other and stops at the first that fails.
//
//   node tools/test.mjs [--only STEP]... [--keep-going] [--node FILE] [--tally FILE] [--troubles FILE]
//
//   --only STEP      runs that step only; repeatable
//   --keep-going     runs the other steps too when one has failed
//   --node FILE      runs the tests (step `tests`) with another Node
//   --tally FILE     appends a line `passed failed step` for each step that was run
//   --troubles FILE  appends what failed, and what passed only when tried again (trouble-list.mjs)

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tallyOfStep, tallyOfTests } from './tally.mjs';
import { addTroubles } from './trouble-list.mjs';

/** @typedef {import('./tally.mjs').Tally} Tally */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const STEPS = ['types', 'lint', 'arrows', 'dead', 'package-shape', 'tests'];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    'keep-going': { type: 'boolean', default: false },
    node: { type: 'string' },
    tally: { type: 'string' },
    troubles: { type: 'string' },
  },
});

const NODE = options.node ? resolve(options.node) : process.execPath;

const unknown = options.only?.find((step) => !STEPS.includes(step));
if (unknown !== undefined) {
  console.error(`There is no step ${unknown}; the steps are ${STEPS.join(', ')}`);
  process.exit(2);
}

process.exitCode = await runSteps(STEPS.filter((step) => options.only?.includes(step) ?? true));

/** @param {string[]} steps */
async function runSteps(steps) {
  const failed = [];
  for (const step of steps) {
    const name = step === 'tests' ? `tests on Node ${nodeVersion()}` : step;
    console.log(`\n== ${name}`);
    const started = performance.now();
    const tally = await (step === 'tests' ? runTests(name) : runScript(step));
    const ok = tally.failed === 0;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`== ${step}: ${ok ? 'ok' : 'FAILED'}, ${seconds} s`);
    if (options.tally) {
      appendFileSync(options.tally, `${tally.passed} ${tally.failed} ${step}\n`);
    }
    if (options.troubles) addTroubles(options.troubles, tally.troubles);
    if (!ok) failed.push(step);
    if (!ok && !options['keep-going']) break;
  }
  if (failed.length === 0) return 0;
  console.error(`\nnpm test FAILED at: ${failed.join(', ')}`);
  return 1;
}

/**
 * @param {string} step
 * @returns {Promise<Tally>}
 */
async function runScript(step) {
  const { ok, output } = await run('npm', ['run', '--silent', step]);
  return tallyOfStep(step, ok, output);
}

function nodeVersion() {
  const { stdout } = spawnSync(NODE, ['--version'], { encoding: 'utf8' });
  return stdout ? stdout.trim() : '(unknown)';
}

/**
 * @param {string} name
 * @returns {Promise<Tally>}
 */
async function runTests(name) {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-tests-'));
  try {
    const report = join(folder, 'report.json');
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const reporter = join(ROOT, 'tools/test-reporter.mjs');
    const { ok } = await run(
      NODE,
      [vitest, 'run', '--reporter=default', `--reporter=${reporter}`],
      { FAREPROOF_TEST_REPORT: report },
    );
    return tallyOfTests(name, existsSync(report) ? readFileSync(report, 'utf8') : null, ok);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Its output is shown as it comes; where troubles are written down it is kept too, as text then.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [more] environment variables
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function run(command, args, more = {}) {
  const path = [dirname(NODE), process.env.PATH].join(delimiter);
  const stdio = options.troubles ? 'pipe' : 'inherit';
  return new Promise((done) => {
    let output = '';
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, PATH: path, ...more },
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
      done({ ok: false, output: error.message });
    });
    child.once('close', (status) => done({ ok: status === 0, output }));
  });
}
