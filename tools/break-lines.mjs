// Breaks lines of src/ one at a time, and prints which of them the quick tests notice.
//
//   node tools/break-lines.mjs [--lines N] [--area NAME]... [--seed N] [--limit SECONDS]
//
//   --lines  lines to break, drawn evenly over the areas; default 10
//   --area   folder below src/, such as conformance/service; repeatable; default each folder of src/
//   --seed   which lines are drawn; default another each time
//   --limit  time after which the tests of a line are ended, and it counts as noticed: it hangs; default 600
//
// It works in a copy of what is committed, and breaks sources, never dist/. A line is noticed if a quick test that
// imports its file, by whatever way, fails. Those below the same path are run first, as they fail soonest.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

/** @typedef {{ area: string, file: string, line: number, before: string, after: string }} Break */

const { values: flags } = parseArgs({
  options: {
    lines: { type: 'string', default: '10' },
    area: { type: 'string', multiple: true },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
    limit: { type: 'string', default: '600' },
  },
});

/** Texts that a line is searched for, each with its replacement, which changes what is computed. */
const CHANGES = /** @type {const} */ ([
  [' === ', ' !== '],
  [' !== ', ' === '],
  [' < ', ' <= '],
  [' > ', ' >= '],
  [' <= ', ' < '],
  [' >= ', ' > '],
  [' && ', ' || '],
  [' || ', ' && '],
  [' + ', ' - '],
  [' - ', ' + '],
  [' * ', ' / '],
  ['Math.max(', 'Math.min('],
  ['Math.min(', 'Math.max('],
  ['.some(', '.every('],
  ['.every(', '.some('],
  ['return true;', 'return false;'],
  ['return false;', 'return true;'],
  ['if (!', 'if ('],
  ['continue;', 'break;'],
  ['.at(-1)', '.at(0)'],
]);

/** Lines without code of their own, and those that only declare. */
const NO_CODE =
  /^\s*(\/\/|\/?\*|import |export (type|interface|\*)|type |interface |readonly |['"`])/;

/** Sources of the page need a build. */
const LEFT_OUT = /^src\/report\/browser\/|page-assets\.ts$|\.d\.ts$/;

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function randomBy(/** @type {number} */ seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @returns {Break[]} every break of the files of an area */
function breaksIn(/** @type {string} */ root, /** @type {string} */ area) {
  return readdirSync(join(root, 'src', area), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${area}/${name}`)
    .filter((file) => file.endsWith('.ts') && !LEFT_OUT.test(file))
    .sort()
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((before, at) => {
          const change = NO_CODE.test(before)
            ? undefined
            : CHANGES.find(([from]) => before.includes(from));
          if (change === undefined) return [];
          return [
            { area, file, line: at + 1, before, after: before.replace(change[0], () => change[1]) },
          ];
        }),
    );
}

/**
 * Runs quick tests until one fails.
 *
 * @returns {string | null} the file of the test that failed, `no end` if none of them ended, or null if all passed
 */
function failing(/** @type {string} */ root, /** @type {readonly string[]} */ args) {
  const file = join(root, '..', 'tests.json');
  rmSync(file, { force: true });
  const reported = ['--reporter', 'json', '--outputFile', file];
  const chosen = ['--bail', '1', '--tagsFilter=!long', '--passWithNoTests'];
  // It ends the whole group: a worker in an endless loop outlives its parent.
  const limited = ['--signal', 'KILL', flags.limit, 'npx', 'vitest'];
  const { status } = spawnSync('timeout', [...limited, ...args, ...chosen, ...reported], {
    cwd: root,
    stdio: 'ignore',
  });
  if (status === 0) return null;
  if (!existsSync(file)) return 'no end';
  /** @type {{ testResults: { name: string, status: string }[] }} */
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  return testResults.find((one) => one.status === 'failed')?.name ?? 'no end';
}

/** @type {Set<string>} tests that fail without a broken line too, which notice nothing */
const unsound = new Set();

/**
 * Finds the quick test that notices a break.
 *
 * @returns {string | null} its file
 */
function noticedBy(
  /** @type {string} */ root,
  /** @type {Break} */ { area, file, line, before, after },
) {
  const path = join(root, file);
  const whole = readFileSync(path, 'utf8');
  const lines = whole.split('\n');
  lines[line - 1] = after;
  writeFileSync(path, lines.join('\n'));
  /** @type {string | null} */
  let test = null;
  try {
    const beside = file.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts');
    if (existsSync(join(root, beside))) test = failing(root, ['run', beside]);
    const others = [...unsound].flatMap((one) => ['--exclude', relative(root, one)]);
    test ??= failing(root, ['related', file, '--run', ...others]);
  } finally {
    writeFileSync(path, whole);
  }
  if (test === null || test === 'no end' || failing(root, ['run', test]) === null) return test;
  if (unsound.has(test)) return null;
  console.log(`${relative(root, test)} fails without a broken line too, and is left out`);
  unsound.add(test);
  return noticedBy(root, { area, file, line, before, after });
}

const folder = mkdtempSync(join(tmpdir(), 'fareproof-break-'));
const root = join(folder, 'copy');
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
spawnSync('git', ['clone', '--quiet', '.', root], { stdio: 'inherit' });
// No links: workers find their packages by their own path.
for (const name of ['node_modules', 'dist', 'build', 'src/report/page-assets.ts'])
  if (existsSync(name)) cpSync(name, join(root, name), { recursive: true, verbatimSymlinks: true });

const areas =
  flags.area ??
  readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => name);
const random = randomBy(Number(flags.seed));
const pools = areas.map((area) => breaksIn(root, area)).filter((pool) => pool.length > 0);
console.log(`seed ${flags.seed}`);
let noticed = 0;
const count = Number(flags.lines);
for (let number = 0; number < count; number++) {
  const pool = pools[number % pools.length] ?? [];
  const [one] = pool.splice(Math.floor(random() * pool.length), 1);
  if (one === undefined) continue;
  const test = noticedBy(root, one);
  noticed += Number(test !== null);
  const by = test === null ? 'UNSEEN' : test.replace(`${root}/`, '');
  console.log(`${one.file}:${one.line}  ${one.after.trim()}\n  ${by}`);
}
console.log(`${noticed} of ${count} noticed`);
