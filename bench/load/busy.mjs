// Verdicts while other work has one core: thresholds that hold by far, targets that do not hold theirs, and a
// build that is slower by a quarter.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { planLoad, runLoad, runPairs, systemClock } from '../../build/load/index.js';
import { profileOf, startTarget } from './targets.mjs';

/** @typedef {import('../../build/load/index.js').LoadOptions} LoadOptions */
/** @typedef {import('../../build/load/index.js').RunContext} RunContext */
/** @typedef {import('../../build/load/index.js').LoadResult} LoadResult */

/** Requests a second; with targets that take 60 ms, six are under way. */
const RATE = 200;
const BASE_MS = 60;
const SLOWER_MS = 75;
const PAIRS = 6;
/** Time that a stalled generator is stopped for in each second. */
const STALL_MS = 300;

/** @param {import('./figure.mjs').Context} context @returns {Promise<import('./figure.mjs').Row[]>} */
export async function measureBusy({ tiny, log }) {
  const busy = spawn('taskset', ['-c', '0', process.execPath, '-e', BUSY_LOOP]);
  try {
    return [...(await measureVerdicts(tiny, log)), ...(await measurePairs(tiny, log))];
  } finally {
    busy.kill();
  }
}

/** Ends by itself, if nothing else ends it. */
const BUSY_LOOP = 'const end = Date.now() + 30 * 60e3; while (Date.now() < end);';

/** @param {boolean} tiny @param {(text: string) => void} log */
async function measureVerdicts(tiny, log) {
  const runs = tiny ? 1 : 20;
  const durationMs = tiny ? 1000 : 2000;
  /** @type {[figure: string, kind: 'delay' | 'limited', parameter: number, thresholds: string[], isStalled: boolean, isAsked: (held: number) => boolean, asked: string][]} */
  const cases = [
    [
      'p99 within twice what the target takes',
      'delay',
      100,
      ['p99<200ms'],
      false,
      (held) => held === runs,
      `${runs} of ${runs} held`,
    ],
    ['a target slower than its bound', 'delay', 60, ['p50<50ms'], false, isNone, 'never held'],
    [
      'errors of a target that fails above 8 under way, by a stalled generator',
      'limited',
      8,
      ['errors<1%'],
      true,
      isNone,
      'never held',
    ],
    [
      'errors of a target that never fails, by a stalled generator',
      'delay',
      50,
      ['errors<1%'],
      true,
      isNone,
      'never held',
    ],
  ];
  /** @type {import('./figure.mjs').Row[]} */
  const rows = [];
  for (const [figure, kind, parameter, thresholds, isStalled, isAsked, asked] of cases) {
    const target = await startTarget(kind, parameter);
    /** @type {Record<string, number>} */
    const verdicts = {};
    for (let run = 0; run < runs; run++) {
      const options = { port: target.port, durationMs, thresholds };
      const result = isStalled ? await runStalled(options) : await runOnce(options);
      verdicts[result.verdict] = (verdicts[result.verdict] ?? 0) + 1;
      log(`${figure}: ${result.verdict}: ${result.reason}`);
    }
    target.stop();
    const measured = Object.entries(verdicts).map(([verdict, count]) => `${count} ${verdict}`);
    rows.push({ figure, asked, measured: measured.join(', '), held: isAsked(verdicts.held ?? 0) });
  }
  return rows;
}

const isNone = (/** @type {number} */ held) => held === 0;

/**
 * @typedef {object} Options
 * @property {number} port
 * @property {number} durationMs
 * @property {string[]} thresholds
 */

/** @param {Options} options @returns {Promise<LoadResult>} */
const runOnce = ({ port, durationMs, thresholds }) =>
  runLoad({ ...loadOn(port, durationMs), threshold: thresholds });

/** @param {number} port @param {number} durationMs @returns {LoadOptions & RunContext} */
const loadOn = (port, durationMs) => ({
  ledger: 'none',
  profile: profileOf(port),
  clock: systemClock(),
  seed: 1,
  rate: RATE,
  duration: `${durationMs}ms`,
  warmup: '300ms',
  validate: 0,
});

/**
 * A run whose process is stopped for a part of each second.
 *
 * @param {Options} options @returns {Promise<LoadResult>}
 */
async function runStalled(options) {
  const args = [fileURLToPath(import.meta.url), '--run', JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece));
  const stopper = setInterval(() => {
    child.kill('SIGSTOP');
    setTimeout(() => child.kill('SIGCONT'), STALL_MS);
  }, 1000);
  await new Promise((resolve) => child.once('close', resolve));
  clearInterval(stopper);
  return JSON.parse(text);
}

/** @param {boolean} tiny @param {(text: string) => void} log */
async function measurePairs(tiny, log) {
  const [slower, same] = tiny ? [1, 1] : [5, 20];
  const [base, alike, late] = await Promise.all(
    [BASE_MS, BASE_MS, SLOWER_MS].map((ms) => startTarget('delay', ms)),
  );
  /** @type {Record<string, { verdicts: string[], longestS: number }>} */
  const found = {};
  for (const [name, candidate, rounds] of /** @type {const} */ ([
    ['slower', late, slower],
    ['same', alike, same],
  ])) {
    const verdicts = [];
    let longestS = 0;
    for (let round = 0; round < rounds; round++) {
      const beganMs = performance.now();
      const { verdict, reason } = await compare(base?.port ?? 0, candidate?.port ?? 0, round, tiny);
      longestS = Math.max(longestS, (performance.now() - beganMs) / 1000);
      verdicts.push(verdict);
      log(`${name}: ${verdict}: ${reason}`);
    }
    found[name] = { verdicts, longestS };
  }
  for (const target of [base, alike, late]) target?.stop();
  const { verdicts = [], longestS = 0 } = found.slower ?? {};
  const alarms = found.same?.verdicts.filter((verdict) => /better|worse/.test(verdict)).length ?? 0;
  const isFound = verdicts.every((verdict) => verdict === 'worse');
  return [
    {
      figure: `a build slower by ${SLOWER_MS - BASE_MS} ms of ${BASE_MS}`,
      asked: `worse in ${slower} of ${slower}, within a minute`,
      measured: `${verdicts.join(', ')}; ${longestS.toFixed(0)} s at most`,
      held: isFound && longestS < 60,
    },
    {
      figure: 'the same build twice: false alarms',
      asked: `at most 1 in ${same}`,
      measured: `${alarms} of ${same}`,
      held: alarms <= 1,
    },
  ];
}

/** @param {number} base @param {number} candidate @param {number} round @param {boolean} tiny */
async function compare(base, candidate, round, tiny) {
  const durationMs = tiny ? 500 : 1500;
  const [a, b] = await Promise.all(
    [base, candidate].map((port) => planLoad({ ...loadOn(port, durationMs), seed: 100 * round })),
  );
  if (a === undefined || b === undefined) throw new Error('two loads were planned');
  return runPairs({
    base: a,
    candidate: b,
    pairs: PAIRS,
    tool: { name: 'fareproof', version: '0' },
  });
}

if (process.argv[2] === '--run') {
  console.log(JSON.stringify(await runOnce(JSON.parse(process.argv[3] ?? ''))));
}
