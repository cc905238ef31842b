import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * @typedef {{ port: number, seconds: number, connections: number, rate: number | null }} Load
 * @typedef {{ rate: number, requests: number, p50Ms: number | null, p90Ms: number | null, p99Ms: number | null }} Read
 * @typedef {Read & { cpuS: number }} Measured
 *
 * A generator: its command for a load, and how its output is read. One that does not keep a rate is given
 * none, and sends in the closed model.
 *
 * @typedef {{
 *   name: string,
 *   program: string,
 *   keepsRate: boolean,
 *   command: (load: Load, url: string, folder: string) => string[],
 *   read: (output: string, load: Load, folder: string) => Read,
 * }} Generator
 */

const execute = promisify(execFile);
const COMMAND = fileURLToPath(new URL('../../bin/fareproof.js', import.meta.url));
const AUTOCANNON = fileURLToPath(
  new URL('../../node_modules/autocannon/autocannon.js', import.meta.url),
);
const HEADER = 'Authorization: Bearer p-100|t';

/** Number behind a pattern; NaN if the output lacks it. */
const number = (/** @type {string} */ output, /** @type {RegExp} */ pattern) =>
  Number(pattern.exec(output)?.[1]);

/** Milliseconds of a time such as `1.23ms` or `850us`; null if the output lacks it. */
function timeMs(/** @type {string} */ output, /** @type {RegExp} */ pattern) {
  const [, value, unit = ''] = pattern.exec(output) ?? [];
  if (value === undefined) return null;
  return Number(value) * ({ us: 1e-3, ms: 1, s: 1000, secs: 1000 }[unit] ?? Number.NaN);
}

/** @type {readonly Generator[]} */
export const GENERATORS = [
  {
    name: 'fareproof',
    program: process.execPath,
    keepsRate: true,
    command: ({ port, seconds, connections, rate }, _url, folder) => {
      const profile = join(folder, 'target.yaml');
      const estimates = { plain: { product_type: 'private-car', ride_type: 'compact' } };
      const partners = [{ id: 'p-100', signingKey: 'k', accessToken: 't' }];
      const baseUrl = `http://127.0.0.1:${port}`;
      writeFileSync(profile, JSON.stringify({ name: 'peers', baseUrl, partners, estimates }));
      const model = rate === null ? ['--connections', `${connections}`] : ['--rate', `${rate}`];
      const times = ['--duration', `${seconds}s`, '--warmup', '0s', '--validate', '0'];
      const load = [
        'load',
        '--target',
        profile,
        ...model,
        ...times,
        '--ledger',
        join(folder, 'ledger'),
      ];
      return [COMMAND, ...load, '--out', join(folder, 'out')];
    },
    read: (_output, _load, folder) => {
      const run = JSON.parse(readFileSync(join(folder, 'out/run.json'), 'utf8'));
      const { p50, p90, p99 } = run.latencyUs.response;
      const { rate, ok } = run.achieved;
      return { rate, requests: ok, p50Ms: p50 / 1000, p90Ms: p90 / 1000, p99Ms: p99 / 1000 };
    },
  },
  {
    name: 'wrk',
    program: 'wrk',
    keepsRate: false,
    command: ({ seconds, connections }, url) => [
      '--latency',
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '-H',
      HEADER,
      url,
    ],
    read: (output) => ({
      rate: number(output, /Requests\/sec:\s+([\d.]+)/),
      requests: number(output, /(\d+) requests in/),
      p50Ms: timeMs(output, /50%\s+([\d.]+)(us|ms|s)/),
      p90Ms: timeMs(output, /90%\s+([\d.]+)(us|ms|s)/),
      p99Ms: timeMs(output, /99%\s+([\d.]+)(us|ms|s)/),
    }),
  },
  {
    name: 'hey',
    program: 'hey',
    keepsRate: true,
    command: ({ seconds, connections, rate }, url) => {
      const paced = rate === null ? [] : ['-q', `${rate / connections}`];
      const load = ['-z', `${seconds}s`, '-c', `${connections}`, '-cpus', '1', ...paced];
      return [...load, '-H', HEADER, url];
    },
    read: (output) => ({
      rate: number(output, /Requests\/sec:\s+([\d.]+)/),
      requests: number(output, /\[200\]\s+(\d+) responses/),
      p50Ms: timeMs(output, /50%+ in ([\d.]+) (secs)/),
      p90Ms: timeMs(output, /90%+ in ([\d.]+) (secs)/),
      p99Ms: timeMs(output, /99%+ in ([\d.]+) (secs)/),
    }),
  },
  {
    name: 'h2load (HTTP/1.1)',
    program: 'h2load',
    keepsRate: true,
    command: ({ seconds, connections, rate }, url) => {
      const paced = rate === null ? [] : [`--rps=${rate / connections}`];
      const load = ['--h1', '-t1', `-c${connections}`, `-D${seconds}`, ...paced];
      return [...load, '-H', HEADER, url];
    },
    // It prints the mean and the longest time, no percentiles.
    read: (output) => ({
      rate: number(output, /finished in [\d.]+\w+, ([\d.]+) req\/s/),
      requests: number(output, /(\d+) succeeded/),
      p50Ms: null,
      p90Ms: null,
      p99Ms: null,
    }),
  },
  {
    name: 'ab',
    program: 'ab',
    keepsRate: false,
    command: ({ seconds, connections }, url) => [
      '-k',
      '-q',
      '-c',
      `${connections}`,
      '-t',
      `${seconds}`,
      '-n',
      '100000000',
      '-H',
      HEADER,
      url,
    ],
    read: (output) => ({
      rate: number(output, /Requests per second:\s+([\d.]+)/),
      requests: number(output, /Complete requests:\s+(\d+)/),
      p50Ms: number(output, /50%\s+(\d+)/),
      p90Ms: number(output, /90%\s+(\d+)/),
      p99Ms: number(output, /99%\s+(\d+)/),
    }),
  },
  {
    name: 'autocannon',
    program: process.execPath,
    keepsRate: true,
    command: ({ seconds, connections, rate }, url) => {
      const paced = rate === null ? [] : ['-R', `${rate}`];
      const load = ['--json', '-c', `${connections}`, '-d', `${seconds}`, ...paced];
      return [AUTOCANNON, ...load, '-H', HEADER, url];
    },
    read: (output) => {
      const { requests, latency } = JSON.parse(output);
      const { p50, p90, p99 } = latency;
      return {
        rate: requests.average,
        requests: requests.total,
        p50Ms: p50,
        p90Ms: p90,
        p99Ms: p99,
      };
    },
  },
];

/** @param {Generator} generator */
export const isInstalled = ({ program }) =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

const QUERY =
  'start_lat=39.912345&start_lng=116.412345&from_name=%E5%8C%97%E4%BA%AC%E5%9B%BD%E8%B4%B8120%E5%8F%B7&end_lat=39.912345&end_lng=116.412345&to_name=%E5%8C%97%E4%BA%AC%E5%9B%BD%E8%B4%B8120%E5%8F%B7&product_type=private-car&ride_type=compact';

/**
 * Runs a generator once on core 1, and adds the CPU time of its whole process, start included.
 *
 * @param {Generator} generator
 * @param {Load} load
 * @returns {Promise<Measured>}
 */
export async function measure(generator, load) {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-peer-'));
  const url = `http://127.0.0.1:${load.port}/v1/estimates/prices?${QUERY}`;
  const command = [generator.program, ...generator.command(load, url, folder)];
  const script = 'TIMEFORMAT="cpu %U %S"; time timeout 60 taskset -c 1 "$@" || true';
  try {
    const { stdout, stderr } = await execute('bash', ['-c', script, 'bash', ...command], {
      env: { ...process.env, LC_ALL: 'C' },
      maxBuffer: 2 ** 26,
    });
    const [, user = '', system = ''] = /cpu ([\d.]+) ([\d.]+)\s*$/.exec(stderr) ?? [];
    return { ...generator.read(stdout, load, folder), cpuS: Number(user) + Number(system) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
