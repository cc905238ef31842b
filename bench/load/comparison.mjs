// `compare` on runs of a target with a built-in p99: rate of false alarms, and of finding a 10 % shift.

import { compareRuns, runLoad, systemClock } from '../../build/load/index.js';
import { createRandom } from '../../build/load/seeded-random.js';
import { profileOf, startTarget } from './targets.mjs';

/** @typedef {import('../../build/load/index.js').LoadResult} LoadResult */

const SLOW_MS = 20;
const SHIFT = 1.1;
const RUNS_PER_SIDE = 10;

/** @param {import('./figure.mjs').Context} context @returns {Promise<import('./figure.mjs').Row[]>} */
export async function measureComparison({ tiny, log }) {
  const real = tiny ? 1 : 20;
  const resampled = tiny ? 10 : 200;
  const shifted = tiny ? 5 : 100;
  const { same, slower } = await record(2 * RUNS_PER_SIDE * (tiny ? 1 : real / 2), tiny);
  const p99 = (/** @type {LoadResult[]} */ runs) =>
    runs.map(({ latencyUs }) => (latencyUs.response.p99 / 1000).toFixed(1)).slice(0, 20);
  log(`p99 of the same build, ms: ${p99(same).join(' ')} ...`);
  log(`p99 of the slower build, ms: ${p99(slower).join(' ')} ...`);
  const invalid = [...same, ...slower].filter(({ verdict }) => verdict === 'invalid').length;
  log(`${invalid} of ${same.length + slower.length} runs were invalid and are left out`);
  const base = same.filter(({ verdict }) => verdict !== 'invalid');
  const candidate = slower.filter(({ verdict }) => verdict !== 'invalid');
  const random = createRandom(1, 'resampled');
  const isAlarm = (/** @type {string} */ verdict) => verdict === 'worse' || verdict === 'better';

  let alarms = 0;
  for (let round = 0; round < resampled; round++) {
    const drawn = draw(base, 2 * RUNS_PER_SIDE, random);
    if (isAlarm(verdictOf(drawn.slice(0, RUNS_PER_SIDE), drawn.slice(RUNS_PER_SIDE), round))) {
      alarms++;
    }
  }
  let realAlarms = 0;
  const size = Math.floor(base.length / real / 2) * 2;
  for (let round = 0; round < real; round++) {
    const runs = base.slice(round * size, (round + 1) * size);
    const [odd, even] = [0, 1].map((side) => runs.filter((_, index) => index % 2 === side));
    if (isAlarm(verdictOf(odd ?? [], even ?? [], round))) realAlarms++;
  }
  let found = 0;
  for (let round = 0; round < shifted; round++) {
    const drawnBase = draw(base, RUNS_PER_SIDE, random);
    const drawnCandidate = draw(candidate, RUNS_PER_SIDE, random);
    if (verdictOf(drawnBase, drawnCandidate, round) === 'worse') found++;
  }
  return [
    row('false alarms in resampled A/A comparisons', '<= 8 %', alarms, resampled, 0.08),
    row('false alarms in real A/A comparisons', '<= 8 %', realAlarms, real, 0.08),
    {
      figure: `a true shift of ${Math.round(100 * (SHIFT - 1))} % in p99 found, ${RUNS_PER_SIDE} runs a side`,
      asked: '>= 90 %',
      measured: `${found} of ${shifted}`,
      held: found / shifted >= 0.9,
    },
  ];
}

/**
 * Records runs of one build and, after every fourth, one of the slower build, so that drift affects both.
 *
 * @param {number} count @param {boolean} tiny
 */
async function record(count, tiny) {
  const targets = {
    same: await startTarget('slow', SLOW_MS),
    slower: await startTarget('slow', SLOW_MS * SHIFT),
  };
  /** @type {Record<'same' | 'slower', LoadResult[]>} */
  const runs = { same: [], slower: [] };
  const run = async (/** @type {'same' | 'slower'} */ side) => {
    const result = await runLoad({
      ledger: 'none',
      profile: profileOf(targets[side].port),
      clock: systemClock(),
      seed: runs[side].length + 1,
      rate: 500,
      duration: tiny ? '200ms' : '600ms',
      warmup: '100ms',
    });
    runs[side].push(result);
  };
  try {
    for (let index = 0; index < count; index++) {
      await run('same');
      if (tiny ? index % 2 === 0 : index % 4 === 0) await run('slower');
    }
    return runs;
  } finally {
    targets.same.stop();
    targets.slower.stop();
  }
}

/** @param {LoadResult[]} base @param {LoadResult[]} candidate @param {number} seed */
function verdictOf(base, candidate, seed) {
  return compareRuns({ base, candidate, seed }).verdict;
}

/** @param {LoadResult[]} runs @param {number} count @param {() => number} random */
function draw(runs, count, random) {
  const left = [...runs];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat();
}

/**
 * @param {string} figure @param {string} asked @param {number} alarms @param {number} of
 * @param {number} most
 */
function row(figure, asked, alarms, of, most) {
  return { figure, asked, measured: `${alarms} of ${of}`, held: alarms / of <= most };
}
