// Mutation testing: breaks the sources of an area line by line and runs their tests on each mutant.
//
//   npm run test:mutation [-- AREA...] [--file FILE] [--force]
//
//   AREA     of areas.mjs; default all
//   --file   mutates this file only; repeatable. The results for other files are kept
//   --force  runs all mutants again, not only those of changed files and tests
//
// Fails if fewer than 85 % of an area's mutants are noticed, or if the survivors are not those of
// survivors.json, each of which has a reason.

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { AREAS } from './areas.mjs';

/**
 * @typedef {Awaited<ReturnType<Stryker['runMutationTest']>>[number]} Mutant
 * @typedef {{ file: string, line: string, becomes: string, reason: string }} Survivor
 */

const LEAST_PERCENT = 85;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    file: { type: 'string', multiple: true },
    force: { type: 'boolean', default: false },
  },
});

/** @type {Survivor[]} */
const KNOWN = JSON.parse(readFileSync(new URL('survivors.json', import.meta.url), 'utf8'));

/** @param {string} name */
async function mutate(name) {
  const area = AREAS[name];
  if (area === undefined) {
    throw new Error(`No area ${name}; the areas are ${Object.keys(AREAS).join(', ')}`);
  }
  process.env['MUTATION_TESTS'] = JSON.stringify(area.tests);
  return new Stryker({
    mutate: flags.file ?? [...area.mutate],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'tools/mutation/vitest.config.mjs', related: false },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    // A busy machine must not count as a test that noticed.
    timeoutMS: 60_000,
    incremental: true,
    incrementalFile: `reports/mutation/${name}.json`,
    force: flags.force,
    // Most strings are messages, and the types hold the others.
    mutator: { excludedMutations: ['StringLiteral'] },
    reporters: ['progress-append-only'],
    tempDirName: 'reports/mutation/sandbox',
    ignorePatterns: ['/dist', '/docs', '/examples'],
    // Stryker would rewrite it with a function of the compiler that TypeScript 7 lacks.
    tsconfigFile: 'none',
    disableTypeChecks: false,
  }).runMutationTest();
}

/**
 * @param {Mutant} mutant
 * @returns {Omit<Survivor, 'reason'>}
 */
function describe({ fileName, location, replacement }) {
  const lines = readFileSync(fileName, 'utf8').split('\n');
  return {
    file: relative('', fileName),
    line: lines[location.start.line - 1]?.trim() ?? '',
    becomes: replacement?.replaceAll(/\s+/g, ' ') ?? '',
  };
}

/** @param {Omit<Survivor, 'reason'>} survivor */
const keyOf = ({ file, line, becomes }) => `${file}: ${line} => ${becomes}`;

/** @param {string} name */
async function judge(name) {
  const mutants = (await mutate(name)).filter(({ status }) => status !== 'Ignored');
  const survivors = mutants.filter(
    ({ status }) => status === 'Survived' || status === 'NoCoverage',
  );
  const percent = 100 * (1 - survivors.length / mutants.length);
  console.log(
    `${name}: ${percent.toFixed(1)} % of ${mutants.length} noticed, ${survivors.length} survived`,
  );
  const files = new Set(mutants.map(({ fileName }) => relative('', fileName)));
  const found = new Map(survivors.map((mutant) => [keyOf(describe(mutant)), describe(mutant)]));
  const known = new Set(KNOWN.filter(({ file }) => files.has(file)).map(keyOf));
  const unlisted = [...found].filter(([key]) => !known.has(key));
  const noticed = [...known].filter((key) => !found.has(key));
  for (const [, survivor] of unlisted) console.log(`  not listed: ${JSON.stringify(survivor)}`);
  for (const key of noticed) console.log(`  listed, but noticed or gone: ${key}`);
  return percent >= LEAST_PERCENT && unlisted.length === 0 && noticed.length === 0;
}

const names = positionals.length > 0 ? positionals : Object.keys(AREAS);
for (const name of names) {
  if (!(await judge(name))) process.exitCode = 1;
}
