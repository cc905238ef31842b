// Lets worlds happen by their seeds, and judges each by invariants; prints what was met, how many occasions each
// invariant had, and the worlds that broke one, with a smaller one where it is found. Exit code 1 for any.
//
//   node tools/worlds.mjs [--kind check] [--seed N] [--count N] [--seconds N] [--workers N]
//
//   --kind     kind of world; default all
//   --seed     the first seed; default another each time
//   --count    worlds of each kind; default 200
//   --seconds  time after which no further world is begun
//   --workers  processes; default one a core

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** @typedef {{ kind: string, plan: { seed: number }, breaches: { invariant: string, what: string }[], occasions: Record<string, number>, met: Record<string, number>, smaller?: object }} Row */

const { values: flags } = parseArgs({
  options: {
    kind: { type: 'string', default: 'all' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
    count: { type: 'string', default: '200' },
    seconds: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
const seed = Number(flags.seed);
const count = Number(flags.count);
const workers = Number(flags.workers);

/** @param {number} worker @param {string} rows */
function run(worker, rows) {
  const each = Math.ceil(count / workers);
  const env = {
    ...process.env,
    FAREPROOF_WORLDS: flags.kind,
    FAREPROOF_WORLDS_SEED: String(seed + worker * each),
    FAREPROOF_WORLDS_COUNT: String(Math.min(each, count - worker * each)),
    FAREPROOF_WORLDS_ROWS: rows,
    ...(flags.seconds === undefined ? {} : { FAREPROOF_WORLDS_SECONDS: flags.seconds }),
  };
  const args = [
    'vitest',
    'run',
    '--testTimeout',
    '0',
    '--maxWorkers',
    '1',
    'test/world/worlds.test.ts',
  ];
  const child = spawn('npx', args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) => {
    child.once('close', (status) => {
      if (status !== 0) console.error(text);
      resolve(status);
    });
  });
}

/** @param {Record<string, number>} sum @param {Record<string, number>} more */
function add(sum, more) {
  for (const [name, value] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + value;
}

/** @param {Record<string, number>} counts */
const lines = (counts) =>
  Object.entries(counts).map(([name, value]) => `  ${String(value).padStart(7)}  ${name}`);

/** @param {string} kind @param {readonly Row[]} rows */
function print(kind, rows) {
  /** @type {Record<string, number>} */
  const met = {};
  /** @type {Record<string, number>} */
  const occasions = {};
  for (const row of rows) {
    add(met, Object.fromEntries(Object.keys(row.met).map((name) => [name, 1])));
    add(occasions, row.occasions);
  }
  const broken = rows.filter(({ breaches }) => breaches.length > 0);
  console.log(
    `${kind}: ${rows.length} worlds from seed ${seed}, ${broken.length} broke an invariant`,
  );
  console.log(['worlds that had', ...lines(met), 'occasions of', ...lines(occasions)].join('\n'));
  for (const { plan, breaches, smaller } of broken) {
    const words = breaches.map(({ invariant, what }) => `  ${invariant}: ${what}`);
    console.log([`seed ${plan.seed}`, ...words, JSON.stringify(smaller ?? plan)].join('\n'));
  }
  return broken.length;
}

console.log(`seed ${seed}`);
const folder = mkdtempSync(join(tmpdir(), 'fareproof-worlds-'));
try {
  const startMs = performance.now();
  const files = Array.from({ length: workers }, (_, worker) => join(folder, `${worker}.jsonl`));
  /** @returns {Row[]} those that have ended; the last line of a file may be half written */
  const rowsSoFar = () =>
    files
      .filter((file) => existsSync(file))
      .flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(0, -1))
      .map((line) => JSON.parse(line));
  const progress = setInterval(() => {
    const so = rowsSoFar();
    const broken = so.filter(({ breaches }) => breaches.length > 0).map(({ plan }) => plan.seed);
    console.error(`${so.length} worlds; broke an invariant: ${broken.join(', ') || 'none'}`);
  }, 60_000);
  const statuses = await Promise.all(files.map((file, worker) => run(worker, file)));
  clearInterval(progress);
  const rows = rowsSoFar();
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  const broken = kinds.map((kind) =>
    print(
      kind,
      rows.filter((row) => row.kind === kind),
    ),
  );
  const minutes = (performance.now() - startMs) / 60_000;
  console.log(`${Math.round(rows.length / minutes)} worlds a minute`);
  const failed = broken.some((one) => one > 0) || statuses.some((status) => status !== 0);
  process.exitCode = failed ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
