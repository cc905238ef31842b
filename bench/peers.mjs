// Load generators beside ours, on one machine in interleaved rounds.
//
//   npm run build && node bench/peers.mjs [--rounds N] [--seconds N]
//
// Two questions: what a request costs each of them (closed model, a fixed answer of nginx), and what each
// says of a target that stalls for 200 ms of every second (1,000 requests/s where it can keep a rate).
// Takes about six minutes on an idle machine with two cores. Generators run on core 1, targets on core 0.
// wrk, hey, h2load, ab and autocannon take part where they are installed; siege does not, since it hung
// here after a few rounds.

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GENERATORS, isInstalled, measure } from './peers/generators.mjs';
import { startStallingTarget } from './peers/stalling-target.mjs';
import { startNginx } from './server/nginx.mjs';
import { median } from './server/table.mjs';
import { ANSWER } from './targets/estimate.mjs';

const CONNECTIONS = 20;
const RATE = 1000;

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
  },
});
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);

/** @typedef {import('./peers/generators.mjs').Measured} Measured */

/**
 * @param {number} port
 * @param {number | null} rate
 * @returns {Promise<Map<string, Measured[]>>}
 */
async function interleaved(port, rate) {
  /** @type {Map<string, Measured[]>} */
  const measured = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const generator of GENERATORS.filter(isInstalled)) {
      const options = { port, seconds, connections: CONNECTIONS, rate };
      const one = await measure(generator, options);
      measured.set(generator.name, [...(measured.get(generator.name) ?? []), one]);
    }
  }
  return measured;
}

/**
 * @param {readonly Measured[]} runs
 * @param {(run: Measured) => number | null} of
 */
function medianOf(runs, of) {
  const values = runs.map(of).filter((value) => value !== null);
  return values.length === 0 ? null : median(values);
}

const digits = (/** @type {number | null} */ value, /** @type {number} */ places) =>
  value === null || Number.isNaN(value) ? '-' : value.toFixed(places);

/** @param {Map<string, Measured[]>} measured */
function costTable(measured) {
  const ours = medianOf(measured.get('fareproof') ?? [], ({ rate }) => rate) ?? Number.NaN;
  return [
    '| generator | requests/s | beside ours | CPU a request, us |',
    '| --- | ---: | ---: | ---: |',
    ...[...measured].map(([name, runs]) => {
      const rate = medianOf(runs, (run) => run.rate);
      const cpuUs = medianOf(runs, (run) => (1e6 * run.cpuS) / run.requests);
      return `| ${name} | ${digits(rate, 0)} | ${digits((rate ?? Number.NaN) / ours, 2)} | ${digits(cpuUs, 1)} |`;
    }),
  ];
}

/** @param {Map<string, Measured[]>} measured @param {{ p50: number, p90: number, p99: number }} implied */
function stallTable(measured, implied) {
  return [
    '| generator | keeps a rate | rate of the plan | p50, ms | p90, ms | p99, ms |',
    '| --- | --- | ---: | ---: | ---: | ---: |',
    `| what the stalls imply | | 1.00 | ${digits(implied.p50, 0)} | ${digits(implied.p90, 0)} | ${digits(implied.p99, 0)} |`,
    ...[...measured].map(([name, runs]) => {
      const generator = GENERATORS.find((one) => one.name === name);
      const ofPlan = medianOf(runs, ({ rate }) => rate / RATE);
      const cells = /** @type {const} */ (['p50Ms', 'p90Ms', 'p99Ms']).map((key) =>
        digits(
          medianOf(runs, (run) => run[key]),
          1,
        ),
      );
      return `| ${name} | ${generator?.keepsRate ? 'yes' : 'no'} | ${digits(ofPlan, 2)} | ${cells.join(' | ')} |`;
    }),
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'fareproof-peers-'));
const nginx = await startNginx(folder, ANSWER, ['taskset', '-c', '0']);
const stalling = await startStallingTarget();
try {
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}`);
  console.log(
    `medians of ${rounds} interleaved rounds of ${seconds} s, ${CONNECTIONS} connections\n`,
  );
  for (const line of costTable(await interleaved(nginx.port, null))) console.log(line);
  console.log('');
  const stalls = await interleaved(stalling.port, RATE);
  for (const line of stallTable(stalls, stalling.implied)) console.log(line);
} finally {
  nginx.stop();
  stalling.stop();
  rmSync(folder, { recursive: true, force: true });
}
