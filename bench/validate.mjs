// Cost of checking one answer in a hundred against the shape of an estimate, which load does by default.
//
//   npm run build && node bench/validate.mjs [--rounds N]
//
//   --rounds N   runs of each kind, in turn (default 6)
//
// Needs nginx and taskset. Compares CPU time per request of the generator, which the rest of the machine
// disturbs less than a rate. Exits with 1 if the check costs 1 % or more.

import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AnswerCheck } from '../build/load/engine/native/answer-check.js';
import { runApart } from './load/run-apart.mjs';
import { startNginx } from './server/nginx.mjs';
import { median } from './server/table.mjs';
import { ANSWER } from './targets/estimate.mjs';

const MOST_COST = 0.01;
const SHARE = 0.01;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '6' } } });
const folder = mkdtempSync(join(tmpdir(), 'fareproof-validate-'));
const nginx = await startNginx(folder, ANSWER, ['taskset', '-c', '0']);

/** CPU time of a request, in microseconds. @param {number} validateShare */
async function cpuUs(validateShare) {
  const options = { port: nginx.port, connections: 10, durationMs: 3000, validate: validateShare };
  const { achieved, generator } = (await runApart(options)).result;
  return ((generator.cpu ?? Number.NaN) * 1e6) / achieved.rate;
}

/** Time of one check, in microseconds: the median of 100 batches. */
function checkUs() {
  const check = new AnswerCheck({ validateShare: 1, seed: 1 }, 0);
  const body = Buffer.from(ANSWER);
  const batches = Array.from({ length: 100 }, () => {
    const startMs = performance.now();
    for (let at = 0; at < 1000; at++) check.faultOf(body);
    return performance.now() - startMs;
  });
  return median(batches);
}

try {
  await cpuUs(SHARE);
  /** @type {number[]} */
  const ratios = [];
  /** @type {number[]} */
  const plain = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const [checked, unchecked] = [await cpuUs(SHARE), await cpuUs(0)];
    ratios.push(checked / unchecked);
    plain.push(unchecked);
  }
  const [onceUs, requestUs] = [checkUs(), median(plain)];
  const cost = (SHARE * onceUs) / requestUs;
  console.log(
    `${cost < MOST_COST ? 'held' : 'MISS'}  one check takes ${onceUs.toFixed(1)} us, and a request ${requestUs.toFixed(1)} us of CPU: 1 % of checks costs ${(100 * cost).toFixed(2)} % (asked: under 1 %)`,
  );
  console.log(
    `      CPU per request with them, over that without: ${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(3)}..${Math.max(...ratios).toFixed(3)}), load ${loadavg()[0]?.toFixed(1)}`,
  );
  process.exitCode = cost < MOST_COST ? 0 : 1;
} finally {
  nginx.stop();
  rmSync(folder, { recursive: true, force: true });
}
