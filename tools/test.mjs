// Runs the steps of `npm test` one after the other and stops at the first that fails.
//
//   node tools/test.mjs [--only STEP]... [--keep-going] [--node FILE] [--tally FILE]
//
//   --only STEP    runs that step only; repeatable
//   --keep-going   runs the other steps too when one has failed
//   --node FILE    runs the tests (step `tests`) with another Node
//   --tally FILE   appends a line `passed failed step` for each step that was run

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tallyOfStep, tallyOfTests } from './tally.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const STEPS = ['types', 'lint', 'arrows', 'dead', 'package-shape', 'tests'];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    'keep-going': { type: 'boolean', default: false },
    node: { type: 'string' },
    tally: { type: 'string' },
  },
});

const NODE = options.node ? resolve(options.node) : process.execPath;

const unknown = options.only?.find((step) => !STEPS.includes(step));
if (unknown !== undefined) {
  console.error(`There is no step ${unknown}; the steps are ${STEPS.join(', ')}`);
  process.exit(2);
}

process.exitCode = runSteps(STEPS.filter((step) => options.only?.includes(step) ?? true));

/** @param {string[]} steps */
function runSteps(steps) {
  const failed = [];
  for (const step of steps) {
    console.log(`\n== ${step}${step === 'tests' ? ` on Node ${nodeVersion()}` : ''}`);
    const started = performance.now();
    const { ok, tally } = step === 'tests' ? runTests() : runScript(step);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`== ${step}: ${ok ? 'ok' : 'FAILED'}, ${seconds} s`);
    if (options.tally) {
      appendFileSync(options.tally, `${tally.passed} ${tally.failed} ${step}\n`);
    }
    if (!ok) failed.push(step);
    if (!ok && !options['keep-going']) break;
  }
  if (failed.length === 0) return 0;
  console.error(`\nnpm test FAILED at: ${failed.join(', ')}`);
  return 1;
}

/** @param {string} step */
function runScript(step) {
  const ok = run('npm', ['run', '--silent', step]);
  return { ok, tally: tallyOfStep(ok) };
}

function nodeVersion() {
  const { stdout } = spawnSync(NODE, ['--version'], { encoding: 'utf8' });
  return stdout ? stdout.trim() : '(unknown)';
}

function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-tests-'));
  try {
    const report = join(folder, 'report.json');
    const ok = run(NODE, [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ]);
    const text = existsSync(report) ? readFileSync(report, 'utf8') : null;
    const tally = tallyOfTests(text, ok);
    return { ok: ok && tally.failed === 0, tally };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const env = { ...process.env, PATH: [dirname(NODE), process.env.PATH].join(delimiter) };
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error) console.error(error.message);
  return status === 0;
}
