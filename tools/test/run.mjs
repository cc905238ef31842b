// Runs the checks of this repository, and stops at the first group of steps that fails.
//
//   node tools/test/run.mjs [--all | --ci] [--only STEP]...
//
//   --all         the tests tagged `long` too
//   --ci          every step and every test file (stepsOfCi); ends with what failed and `N passed, N failed`
//   --only STEP   runs that step only; repeatable

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { failureLines } from './outcome.mjs';
import { command, debian, node, script, tests } from './steps.mjs';

/**
 * @typedef {import('./steps.mjs').Step} Step
 * @typedef {import('./outcome.mjs').Failure} Failure
 * @typedef {readonly (readonly Step[])[]} Group lanes of steps that run side by side
 */

/** Compiles and bundles what the checks and the tests read. */
const BUILD = [[script('build')]];

/** @type {Group} */
const CHECKS = [[script('lint')], [script('arrows'), script('dead'), script('package-shape')]];

const QUICK = '--tagsFilter=!long';
const LOCAL = [BUILD, CHECKS, [[tests('tests', { filter: [QUICK] })]]];

const ALL = [BUILD, CHECKS, [[tests('tests')]]];

/** Tests of what depends on the line of Node: processes, sockets, their internals, and the package itself. */
const OF_NODE = ['test/server/http', 'test/server/speed', 'test/cli/signals', 'test/load/engine'];

/** Programs that tests use where they are there: a browser, a broker, a monitoring server, shells, a tracer. */
const PROGRAMS = {
  chromium: '/usr/bin/chromium',
  'nats-server': '/usr/sbin/nats-server',
  prometheus: '/usr/bin/prometheus',
  zsh: '/usr/bin/zsh',
  fish: '/usr/bin/fish',
  strace: '/usr/bin/strace',
};

/**
 * Every step and every test file; on newer lines of Node those that may depend on it, and the demo. Beside
 * them, the checker is proven: each rule is broken in turn, everywhere and at each place.
 *
 * @param {string} folder for the Nodes to install
 * @returns {readonly Group[]}
 */
function stepsOfCi(folder) {
  const env = {
    FAREPROOF_REQUIRE_BROWSER: '1',
    FAREPROOF_REQUIRE_NATS: '1',
    FAREPROOF_REQUIRE_PROMETHEUS: '1',
    FAREPROOF_REQUIRE_SHELLS: '1',
    FAREPROOF_REQUIRE_STRACE: '1',
    FAREPROOF_DIFFERENTIAL_CASES: '3000',
    FAREPROOF_WORLDS_FRESH_SECONDS: '120',
  };
  const nodes = ['24', 'latest'].map((version) => node(version, join(folder, version)));
  return [
    BUILD,
    [...CHECKS, [debian(PROGRAMS), ...nodes]],
    [[tests('tests', { env })]],
    [
      [command('selfcheck', process.execPath, ['bin/fareproof.js', 'selfcheck'])],
      nodes.flatMap(({ version, file }) => [
        tests(`tests on node ${version}`, { node: file, filter: [QUICK, ...OF_NODE] }),
        command(`demo on node ${version}`, file, ['bin/fareproof.js', 'demo']),
      ]),
    ],
  ];
}

/**
 * Runs groups one after the other, and the lanes of a group side by side.
 *
 * @param {readonly Group[]} groups
 * @param {{ isCi: boolean }} options CI keeps going when a step has failed, and reads the output of each
 * @returns {Promise<{ passed: number, failures: Failure[] }>}
 */
async function runGroups(groups, { isCi }) {
  let passed = 0;
  /** @type {Failure[]} */
  const failures = [];
  /** @param {readonly Step[]} lane @param {import('./steps.mjs').Output} output */
  const runLane = async (lane, output) => {
    for (const step of lane) {
      if (output !== 'held') console.log(`\n== ${step.name}`);
      const startMs = performance.now();
      const outcome = await step.run(output);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      const hasFailed = outcome.failures.length > 0;
      console.log(`== ${step.name}: ${hasFailed ? 'FAILED' : 'ok'}, ${seconds} s`);
      passed += outcome.passed;
      failures.push(...outcome.failures);
      if (hasFailed && !isCi) break;
    }
  };
  for (const lanes of groups) {
    const output = lanes.length > 1 ? 'held' : isCi ? 'echoed' : 'shown';
    await Promise.all(lanes.map((lane) => runLane(lane, output)));
    if (failures.length > 0 && !isCi) break;
  }
  return { passed, failures };
}

async function runCi() {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-ci-'));
  try {
    return await runGroups(stepsOfCi(folder), { isCi: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values: flags } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    ci: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
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
  const groups = flags.all ? ALL : LOCAL;
  const names = groups.flat(2).map(({ name }) => name);
  const unknown = flags.only?.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    console.error(`No step ${unknown}; the steps are ${names.join(', ')}`);
    process.exit(2);
  }
  const chosen = groups.map((lanes) =>
    lanes
      .map((lane) => lane.filter(({ name }) => flags.only?.includes(name) ?? true))
      .filter(({ length }) => length > 0),
  );
  const { failures } = await runGroups(chosen, { isCi: false });
  process.exitCode = failures.length === 0 ? 0 : 1;
}
