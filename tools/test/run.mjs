// Runs the checks of this repository one after the other, and stops at the first that fails.
//
//   node tools/test/run.mjs [--all | --ci] [--only STEP]... [--keep-going]
//
//   --all         the tests tagged `long` too
//   --ci          what .ci/run needs on a clean checkout: see CI below; keeps going, ends with the
//                 names of what failed and a line `N passed, N failed`
//   --only STEP   runs that step only; repeatable
//   --keep-going  runs the other steps too when one has failed

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { failureLines } from './outcome.mjs';
import {
  chromium,
  command,
  natsServer,
  node,
  prometheus,
  script,
  shell,
  strace,
  tests,
} from './steps.mjs';

/**
 * @typedef {import('./steps.mjs').Step} Step
 * @typedef {import('./outcome.mjs').Failure} Failure
 */

const CHECKS = ['types', 'lint', 'arrows', 'dead', 'package-shape', 'bench-types'].map(script);

const LOCAL = [...CHECKS, tests('tests', { tags: '!long' })];

const ALL = [...CHECKS, tests('tests')];

/**
 * Every check and every test; the tests that are not long on newer lines of Node too. Last, the checker
 * is proven: each rule is broken in turn, and a tenth of the forms (`FAREPROOF_FORMS=all`: each).
 *
 * @param {string} folder for the Nodes to install
 * @returns {Step[]}
 */
function stepsOfCi(folder) {
  const env = {
    FAREPROOF_REQUIRE_BROWSER: '1',
    FAREPROOF_REQUIRE_NATS: '1',
    FAREPROOF_REQUIRE_PROMETHEUS: '1',
    FAREPROOF_REQUIRE_SHELLS: '1',
    FAREPROOF_REQUIRE_STRACE: '1',
  };
  const node24 = node('24', join(folder, '24'));
  const forms = process.env['FAREPROOF_FORMS'] === 'all' ? 'all' : 'sample';
  const newest = node('latest', join(folder, 'latest'));
  return [
    { ...command('install', 'npm', ['ci', '--no-audit', '--no-fund']), isNeeded: true },
    chromium(),
    natsServer(),
    prometheus(),
    shell('zsh'),
    shell('fish'),
    strace(),
    ...CHECKS,
    tests('tests', { env }),
    node24,
    tests('tests on node 24', { env, tags: '!long', node: node24.file }),
    newest,
    tests('tests on the newest node', { env, tags: '!long', node: newest.file }),
    command('selfcheck', process.execPath, ['bin/fareproof.js', 'selfcheck', '--forms', forms]),
  ];
}

/**
 * @param {readonly Step[]} steps
 * @param {{ keepGoing: boolean, isCaptured: boolean }} options
 * @returns {Promise<{ passed: number, failures: Failure[] }>}
 */
async function runSteps(steps, { keepGoing, isCaptured }) {
  let passed = 0;
  /** @type {Failure[]} */
  const failures = [];
  for (const step of steps) {
    console.log(`\n== ${step.name}`);
    const startMs = performance.now();
    const outcome = await step.run(isCaptured);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    const hasFailed = outcome.failures.length > 0;
    console.log(`== ${step.name}: ${hasFailed ? 'FAILED' : 'ok'}, ${seconds} s`);
    passed += outcome.passed;
    failures.push(...outcome.failures);
    if (hasFailed && (step.isNeeded || !keepGoing)) break;
  }
  return { passed, failures };
}

async function runCi() {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-ci-'));
  try {
    return await runSteps(stepsOfCi(folder), { keepGoing: true, isCaptured: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values: flags } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    ci: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    'keep-going': { type: 'boolean', default: false },
  },
});

if (flags.ci) {
  console.log(`node ${process.version}, ${process.platform} ${process.arch}`);
  const { passed, failures } = await runCi().catch((error) => ({
    passed: 0,
    failures: [{ name: 'tools/test/run.mjs', message: String(error.stack) }],
  }));
  for (const line of failureLines(failures)) console.log(line);
  console.log(`\n${passed} passed, ${failures.length} failed`);
  process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
} else {
  const steps = flags.all ? ALL : LOCAL;
  const unknown = flags.only?.find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined) {
    console.error(`No step ${unknown}; the steps are ${steps.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  const chosen = steps.filter(({ name }) => flags.only?.includes(name) ?? true);
  const { failures } = await runSteps(chosen, {
    keepGoing: flags['keep-going'],
    isCaptured: false,
  });
  process.exitCode = failures.length === 0 ? 0 : 1;
}
