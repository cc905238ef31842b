// Mutation testing: breaks the sources of an area line by line and runs their tests on each mutant.
//
//   npm run test:mutation [-- AREA...] [--file FILE] [--force]
//
//   AREA     of areas.mjs; default all
//   --file   mutates this file only; repeatable
//   --force  runs all mutants again, not only those of changed files and tests
//
// Fails if fewer than 85 % of an area's mutants are noticed, or if the survivors are not those of
// survivors.json, each of which has a reason. The results of a file are kept as soon as it is done.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { AREAS } from './areas.mjs';

/**
 * @typedef {import('./mutate-file.mjs').Mutants} Mutants
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

/**
 * @param {string} area
 * @param {string} source
 * @param {readonly string[]} tests
 * @returns {Promise<Mutants>}
 */
async function mutate(area, source, tests) {
  const child = fork(new URL('mutate-file.mjs', import.meta.url), {
    // A group of its own: Stryker ends none of its processes if it is interrupted.
    detached: true,
    serialization: 'advanced',
    env: { ...process.env, MUTATION_TESTS: JSON.stringify(tests) },
  });
  child.send({ area, source, force: flags.force });
  const [mutants] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`No results for ${source}; the reason is above`);
    }),
  ]);
  child.disconnect();
  await once(child, 'exit');
  return mutants;
}

/**
 * @param {Mutants[number]} mutant
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

/** @param {Mutants[number]} mutant */
const survived = ({ status }) => status === 'Survived' || status === 'NoCoverage';

/** @param {Mutants} mutants */
function summary(mutants) {
  const survivors = mutants.filter(survived).length;
  const percent = 100 * (1 - survivors / Math.max(1, mutants.length));
  const text = `${percent.toFixed(1)} % of ${mutants.length} noticed, ${survivors} survived`;
  return { enough: percent >= LEAST_PERCENT, text };
}

/** @param {string} name */
async function judge(name) {
  const area = AREAS[name];
  if (area === undefined) {
    throw new Error(`No area ${name}; the areas are ${Object.keys(AREAS).join(', ')}`);
  }
  const sources = area.sources.filter((source) => flags.file?.includes(source) ?? true);
  /** @type {Mutants} */
  const mutants = [];
  for (const source of sources) {
    const tests = typeof area.tests === 'function' ? area.tests(source) : area.tests;
    const all = await mutate(name, source, tests);
    const ofSource = all.filter(({ status }) => status !== 'Ignored');
    console.log(`${source}: ${summary(ofSource).text}`);
    mutants.push(...ofSource);
  }
  const { enough, text } = summary(mutants);
  console.log(`${name}: ${text}`);
  const found = new Map(
    mutants.filter(survived).map((mutant) => [keyOf(describe(mutant)), describe(mutant)]),
  );
  const known = new Set(KNOWN.filter(({ file }) => sources.includes(file)).map(keyOf));
  const unlisted = [...found].filter(([key]) => !known.has(key));
  const noticed = [...known].filter((key) => !found.has(key));
  for (const [, survivor] of unlisted) console.log(`  not listed: ${JSON.stringify(survivor)}`);
  for (const key of noticed) console.log(`  listed, but noticed or gone: ${key}`);
  return enough && unlisted.length === 0 && noticed.length === 0;
}

process.on('exit', () => rmSync('reports/mutation/sandbox', { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const names = positionals.length > 0 ? positionals : Object.keys(AREAS);
for (const name of names) {
  if (!(await judge(name))) process.exitCode = 1;
}
