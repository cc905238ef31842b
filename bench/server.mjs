// Compares servers by CPU time per request, in one run of interleaved rounds.
//
//   npm run bench:server -- [--only NAME]... [--rounds N] [--seconds N] [--json]
//
//   --only NAME   measures only these, and nginx as the reference; repeatable
//   --rounds N    number of rounds (7)
//   --seconds N   length of a round, per server (3)
//   --json        prints the figures of every round instead of the table
//
// Needs wrk; nginx is left out where it is not installed, and HTTPS without openssl. With taskset, the
// server is pinned to the first core and the generator to the second.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sign } from '../build/interface/index.js';
import { makeCertificate } from './server/certificate.mjs';
import { measureLoad } from './server/measure-load.mjs';
import { startNginx } from './server/nginx.mjs';
import { table } from './server/table.mjs';
import { ACCESS_TOKEN, PARTNER } from './targets/credentials.mjs';
import { workloads } from './workloads.mjs';

/** Entries of the table: a server and its workload. */
const ENTRIES = [
  { name: 'nginx', target: 'nginx', workload: 'different' },
  { name: 'nginx-https', target: 'nginx-https', workload: 'different' },
  { name: 'ours-different', target: 'ours', workload: 'different' },
  { name: 'ours-repeated', target: 'ours', workload: 'repeated' },
  { name: 'ours-one', target: 'ours', workload: 'one' },
  { name: 'ours-mixed', target: 'ours', workload: 'mixed' },
  { name: 'ours-user', target: 'ours', workload: 'user' },
  { name: 'ours-https', target: 'ours-https', workload: 'different' },
  { name: 'ours-two-workers', target: 'ours-two-workers', workload: 'different' },
  { name: 'ours-no-fast-path', target: 'ours-no-fast-path', workload: 'different' },
  { name: 'node-http-constant', target: 'node-http', workload: 'different' },
];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);

const has = (/** @type {string} */ program) =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const pins = has('taskset') && availableParallelism() > 1;
const onCore = (/** @type {number} */ core) => (pins ? ['taskset', '-c', String(core)] : []);

const isHttps = (/** @type {string} */ target) => target.endsWith('-https');

/** @typedef {{ port: number, pids: number[], stop(): void }} Target */

/**
 * @param {string} name
 * @param {number} bodyBytes
 * @param {import('./server/nginx.mjs').Certificate} [certificate]
 * @returns {Promise<Target>}
 */
async function startTarget(name, bodyBytes, certificate) {
  const script = join(import.meta.dirname, 'targets/serve.mjs');
  const [program, ...args] = [...onCore(0), process.execPath, script, name];
  const child = spawn(program ?? '', args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      FAREPROOF_BENCH_BODY_BYTES: String(bodyBytes),
      FAREPROOF_BENCH_CERT: certificate?.cert,
      FAREPROOF_BENCH_KEY: certificate?.key,
    },
  });
  const port = await new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(Number(line)));
    child.once('exit', () => reject(new Error(`${name} did not start`)));
  });
  const own = child.pid ?? 0;
  return { port, pids: [own, ...childrenOf(own)], stop: () => child.stdin.end() };
}

/** Processes that a process has started. @param {number} pid */
function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    .split(' ')
    .filter((child) => child !== '')
    .map(Number);
}

/** @param {number} port */
async function takeUserToken(port) {
  const fields = {
    grant_type: 'authorization_code',
    auth_code: PARTNER.authCodes[0],
    _: new Date().toISOString(),
    nostr: 'bench0',
  };
  const reply = await fetch(`http://127.0.0.1:${port}/v1/oauth/token`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${PARTNER.id}|${sign(fields, PARTNER.signingKey)}`,
    },
    body: JSON.stringify(fields),
  });
  return /** @type {{ access_token: string }} */ (await reply.json()).access_token;
}

/** Fetches the body of an estimate, for nginx to send. @param {number} port */
async function sampleBody(port) {
  const query =
    'start_lat=39.9087&start_lng=116.3975&from_name=a&end_lat=39.9929&end_lng=116.3106&to_name=b&product_type=private-car&ride_type=compact';
  const reply = await fetch(`http://127.0.0.1:${port}/v1/estimates/prices?${query}`, {
    headers: { Authorization: `Bearer ${PARTNER.id}|${ACCESS_TOKEN}` },
  });
  if (reply.status !== 200) throw new Error(`no estimate: ${reply.status}`);
  return reply.text();
}

async function run() {
  const wanted = ENTRIES.filter(
    ({ name }) => name === 'nginx' || (options.only?.includes(name) ?? true),
  )
    .filter(({ target }) => !target.startsWith('nginx') || has('nginx'))
    .filter(({ target }) => !isHttps(target) || has('openssl'));
  const unknown = options.only?.find((only) => !ENTRIES.some(({ name }) => name === only));
  if (unknown !== undefined || !has('wrk') || !(rounds >= 1) || !(seconds >= 1)) {
    console.error(
      unknown === undefined
        ? 'wrk must be installed; --rounds and --seconds are whole numbers above 0'
        : `--only: there is no ${unknown}; choose from ${ENTRIES.map(({ name }) => name).join(', ')}`,
    );
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-bench-'));
  /** @type {Map<string, Target>} */
  const targets = new Map();
  try {
    const ours = await startTarget('ours', 0);
    targets.set('ours', ours);
    const body = await sampleBody(ours.port);
    const scripts = workloads(await takeUserToken(ours.port));
    for (const [name, lua] of Object.entries(scripts)) writeFileSync(join(folder, name), lua);
    const made = wanted.some(({ target }) => isHttps(target)) ? makeCertificate(folder) : undefined;
    for (const { target } of wanted) {
      if (targets.has(target)) continue;
      const certificate = isHttps(target) ? made : undefined;
      targets.set(
        target,
        target.startsWith('nginx')
          ? await startNginx(join(folder, target), body, onCore(0), certificate)
          : await startTarget(target, body.length, certificate),
      );
    }
    /** @type {Map<string, import('./server/measure-load.mjs').Measured[]>} */
    const figures = new Map(wanted.map(({ name }) => [name, []]));
    let measured = 0;
    for (let round = 0; round <= rounds; round++) {
      for (const { name, target, workload } of wanted) {
        const { port, pids } = targets.get(target) ?? ours;
        const one = await measureLoad({
          origin: `${isHttps(target) ? 'https' : 'http'}://127.0.0.1:${port}`,
          pids,
          seconds: round === 0 ? 1 : seconds,
          script: join(folder, workload),
          // Far enough apart that no two rounds use the same queries.
          start: 200_000 * seconds * measured++,
          onCore: onCore(1),
        });
        if (one.failed > 0) throw new Error(`${name}: ${one.failed} requests failed`);
        // The first round warms up.
        if (round > 0) figures.get(name)?.push(one);
      }
      console.error(round === 0 ? 'warmed up' : `round ${round} of ${rounds}`);
    }
    const machine = {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      node: process.version,
      loadAverage: loadavg().map((load) => Number(load.toFixed(2))),
      pinned: pins,
    };
    console.log(
      options.json
        ? JSON.stringify({ machine, rounds, seconds, figures: Object.fromEntries(figures) })
        : table(machine, figures),
    );
    return 0;
  } finally {
    for (const target of targets.values()) target.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await run();
