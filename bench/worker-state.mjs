// Memory of workers with a million live tokens, and the time in which they get them.
//
//   npm run build && node bench/worker-state.mjs [--tokens N] [--workers N]
//
// The tokens are issued before the workers start; each worker then gets a copy of them. It is compared with
// a worker that gets none. Works on Linux, which says what memory another process has.

import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createService } from '../build/server/create-service.js';
import { DEFAULT_TIMEOUTS } from '../build/server/http/node-server.js';
import { MovableClock } from '../build/server/index.js';
import { forkWorker } from '../build/server/workers/worker-link.js';
import { listenInWorkers } from '../build/server/workers/worker-pool.js';
import { settingsOf } from './service-settings.mjs';

const { values: options } = parseArgs({
  options: { tokens: { type: 'string' }, workers: { type: 'string' } },
});
const TOKENS = Number(options.tokens ?? 1_000_000);
const WORKERS = Number(options.workers ?? 2);
/** More than the collections of a worker take. */
const COLLECTION_MS = 5_000;

// A worker cannot be asked for a garbage collection otherwise.
const collect = 'process.on("SIGUSR2", () => { for (let round = 0; round < 4; round++) gc(); })';
cluster.setupPrimary({
  execArgv: ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(collect)}`],
});

/** @param {number} pid @returns {number} resident bytes of a process */
function residentBytes(pid) {
  const [, kib = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

/** Starts workers for a state with that many tokens. @param {number} count */
async function measure(count) {
  const clock = new MovableClock({ now: () => Date.now() });
  const settings = settingsOf(clock);
  const created = createService(settings, '0.0.0');
  const partner = created.state.partners.add('bench', 'signing-key-of-bench', false);
  for (let index = 0; index < count; index++) {
    const request = { partner, userId: null, scope: 'public', refreshed: null };
    created.state.tokens.issue(request, clock.now());
  }
  const from = performance.now();
  const front = await listenInWorkers(created, {
    count: WORKERS,
    clock,
    fork: forkWorker,
    silenceMs: 60_000,
    onEntry: () => undefined,
    onBroken: () => undefined,
    settings: {
      environment: settings.environment,
      behaviour: settings.behaviour,
      expiresInSeconds: settings.expiresInSeconds,
      seed: settings.seed,
      timeouts: DEFAULT_TIMEOUTS,
      host: '127.0.0.1',
      port: 0,
      tls: undefined,
      fastPath: true,
      sharedReadBuffer: true,
      version: '0.0.0',
      isLogged: false,
      isCounted: false,
    },
  });
  const startMs = performance.now() - from;
  const workers = Object.values(cluster.workers ?? {});
  for (const worker of workers) worker?.process.kill('SIGUSR2');
  await delay(COLLECTION_MS);
  const bytes = workers.map((worker) => residentBytes(worker?.process.pid ?? 0));
  await front.close(0);
  return { startMs, bytes };
}

const none = await measure(0);
const all = await measure(TOKENS);
const [base = 0] = none.bytes;
console.log(`${WORKERS} workers without tokens: ready after ${none.startMs.toFixed(0)} ms`);
console.log(`${WORKERS} workers with ${TOKENS}: ready after ${all.startMs.toFixed(0)} ms`);
for (const bytes of all.bytes) {
  console.log(
    `  RSS ${(bytes / 1e6).toFixed(0)} MB, ${((bytes - base) / TOKENS).toFixed(0)} B/token`,
  );
}
