// Speed of the engines and wrk: closed model, a fixed nginx answer, one core for the generator.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from '../server/table.mjs';
import { runApart } from './run-apart.mjs';

/** @typedef {import('./figure.mjs').Row} Row */

const CONNECTIONS = 10;
const QUERY =
  'start_lat=39.912345&start_lng=116.412345&from_name=%E5%8C%97%E4%BA%AC%E5%9B%BD%E8%B4%B8120%E5%8F%B7&end_lat=39.912345&end_lng=116.412345&to_name=%E5%8C%97%E4%BA%AC%E5%9B%BD%E8%B4%B8120%E5%8F%B7&product_type=private-car&ride_type=compact';
const HEADERS = [
  'Authorization: Bearer p-100|t',
  'Content-Type: application/x-www-form-urlencoded',
  'User-Agent: fareproof',
];

const execute = promisify(execFile);

/** @param {import('./figure.mjs').Context} context @returns {Promise<Row[]>} */
export async function measureEngines({ nginxPort: port, tiny, log }) {
  const rounds = tiny ? 1 : 7;
  const seconds = tiny ? 1 : 4;
  /** @type {Record<'native' | 'autocannon' | 'wrk', number[]>} */
  const rates = { native: [], autocannon: [], wrk: [] };
  for (let round = 0; round < rounds; round++) {
    for (const engine of /** @type {const} */ (['native', 'autocannon'])) {
      const options = { port, engine, connections: CONNECTIONS, durationMs: 1000 * seconds };
      const { achieved } = (await runApart(options)).result;
      if (achieved.failed > 0) log(`${engine}: ${achieved.failed} failed`);
      rates[engine].push(achieved.rate);
    }
    rates.wrk.push(await runWrk(port, seconds));
  }
  for (const [name, all] of Object.entries(rates)) {
    log(`${name.padEnd(10)} ${all.map((rate) => Math.round(rate)).join(' ')} requests/s`);
  }
  const ratioTo = (/** @type {number[]} */ others) =>
    median(rates.native.map((rate, round) => rate / (others[round] ?? Number.NaN)));
  const autocannon = ratioTo(rates.autocannon);
  const wrk = ratioTo(rates.wrk);
  return [
    row('native engine / autocannon, closed model', '>= 1.6', autocannon, autocannon >= 1.6),
    row('native engine / wrk, closed model', '>= 0.85', wrk, wrk >= 0.85),
  ];
}

/** @param {string} figure @param {string} asked @param {number} ratio @param {boolean} held @returns {Row} */
function row(figure, asked, ratio, held) {
  return { figure, asked, measured: ratio.toFixed(2), held };
}

/** @param {number} port @param {number} seconds */
async function runWrk(port, seconds) {
  const headers = HEADERS.flatMap((header) => ['-H', header]);
  const wrk = ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...headers];
  const address = `http://127.0.0.1:${port}/v1/estimates/prices?${QUERY}`;
  const { stdout } = await execute('taskset', ['-c', '1', ...wrk, address]);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
