// A load run in its own process and on its own core, with its memory recorded.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { profileOf } from './targets.mjs';

/**
 * @typedef {object} RunApart
 * @property {number} port
 * @property {'native' | 'autocannon'} [engine]
 * @property {number} [connections]
 * @property {number} [rate] requests/s; without it the closed model
 * @property {number} [validate] share of the answers to check
 * @property {import('./targets.mjs').Partner} [partner]
 * @property {number} durationMs
 */

/**
 * @typedef {object} RanApart
 * @property {import('../../build/load/index.js').LoadResult} result
 * @property {number[]} rssMb once a second
 */

const run = promisify(execFile);
const MOST_OUTPUT_BYTES = 64e6;

/** @param {RunApart} options @returns {Promise<RanApart>} */
export async function runApart(options) {
  const self = fileURLToPath(import.meta.url);
  const args = ['-c', '1', process.execPath, self, '--run', JSON.stringify(options)];
  const { stdout } = await run('taskset', args, { maxBuffer: MOST_OUTPUT_BYTES });
  return JSON.parse(stdout);
}

if (process.argv[2] === '--run') {
  const { port, partner, durationMs, ...options } = /** @type {RunApart} */ (
    JSON.parse(process.argv[3] ?? '')
  );
  const { runLoad, systemClock } = await import('../../build/load/index.js');
  /** @type {number[]} */
  const rssMb = [];
  const result = await runLoad({
    ledger: 'none',
    ...options,
    profile: profileOf(port, partner),
    clock: systemClock(),
    seed: 1,
    placement: 'inline',
    duration: `${durationMs}ms`,
    warmup: `${Math.min(1000, durationMs)}ms`,
    output: {
      add: () => void rssMb.push(Math.round(process.memoryUsage.rss() / 1e5) / 10),
    },
  });
  console.log(JSON.stringify({ result, rssMb }));
}
