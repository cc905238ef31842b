// Targets with built-in behaviour, each in its own process.

import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Target
 * @property {number} port
 * @property {[number, number][]} stalls start and end of each stall so far, monotonic clock, nanoseconds; or
 *   what another kind reports
 * @property {() => void} stop
 */

const STALL_MS = 200;

/** Request handlers by kind of target; the meaning of the parameter depends on the kind. */
const KINDS = {
  /** Serves one request after the other, each in 1/capacity of a second. */
  capacity: (/** @type {number} */ capacity) => {
    /** @type {{ response: import('node:http').ServerResponse, doneMs: number }[]} */
    const waiting = [];
    let doneMs = 0;
    const answer = () => {
      const nowMs = performance.now();
      while (waiting[0] && waiting[0].doneMs <= nowMs) waiting.shift()?.response.end('[]');
      if (waiting.length > 0) setImmediate(answer);
    };
    return createServer((_request, response) => {
      doneMs = Math.max(doneMs, performance.now()) + 1000 / capacity;
      waiting.push({ response, doneMs });
      if (waiting.length === 1) setImmediate(answer);
    });
  },
  /** Answers at once, but blocks its thread for a fifth of each second and logs that. */
  stalls: () => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    setInterval(() => {
      const fromNs = Number(process.hrtime.bigint());
      Atomics.wait(cell, 0, 0, STALL_MS);
      process.send?.([fromNs, Number(process.hrtime.bigint())]);
    }, 1000);
    return createServer((_request, response) => response.end('[]'));
  },
  /** Reports the time of each connection's first request, and the number of requests so far. */
  arrivals: () => {
    const seen = new WeakSet();
    let total = 0;
    return createServer(({ socket }, response) => {
      total++;
      if (!seen.has(socket)) {
        seen.add(socket);
        process.send?.([Number(process.hrtime.bigint()), 0]);
      }
      response.end('[]', () => process.send?.([0, total]));
    });
  },
  /**
   * Answers each request after 0.2 to 1.8 s, a time that depends on its URL only: many times the jitter of a
   * machine, so that two loads of the same requests have the same latencies.
   */
  simulated: () => {
    /** @type {{ response: import('node:http').ServerResponse, dueMs: number }[]} */
    let waiting = [];
    const answer = () => {
      const nowMs = performance.now();
      for (const { response, dueMs } of waiting) if (dueMs <= nowMs) response.end('[]');
      waiting = waiting.filter(({ dueMs }) => dueMs > nowMs);
      if (waiting.length > 0) setImmediate(answer);
    };
    return createServer(({ url = '' }, response) => {
      const digest = createHash('sha256').update(url).digest();
      waiting.push({ response, dueMs: performance.now() + 200 + (digest.readUInt32BE() % 1600) });
      if (waiting.length === 1) setImmediate(answer);
    });
  },
  /** Answers each request after `ms`. */
  delay: (/** @type {number} */ ms) =>
    createServer((_request, response) => {
      setTimeout(() => response.end('[]'), ms);
    }),
  /** Answers after 50 ms, or at once with 503 while `most` requests are under way. */
  limited: (/** @type {number} */ most) => {
    let underWay = 0;
    return createServer((_request, response) => {
      if (underWay >= most) {
        response.writeHead(503).end();
        return;
      }
      underWay++;
      setTimeout(() => {
        underWay--;
        response.end('[]');
      }, 50);
    });
  },
  /** Answers after 2 ms, and every 25th request after `slowMs`. */
  slow: (/** @type {number} */ slowMs) => {
    let count = 0;
    return createServer((_request, response) => {
      setTimeout(() => response.end('[]'), ++count % 25 === 0 ? slowMs : 2);
    });
  },
};

/**
 * @param {keyof typeof KINDS} kind
 * @param {number} [parameter]
 * @returns {Promise<Target>}
 */
export function startTarget(kind, parameter = 0) {
  const child = fork(fileURLToPath(import.meta.url), ['--serve', kind, String(parameter)]);
  /** @type {[number, number][]} */
  const stalls = [];
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.on('message', (message) => {
      if (Array.isArray(message)) stalls.push(/** @type {[number, number]} */ (message));
      else resolve({ port: Number(message), stalls, stop: () => child.disconnect() });
    });
  });
}

/** @typedef {import('../../build/load/index.js').RunContext['profile']} Profile */

/** @typedef {NonNullable<Profile['partners']>[number]} Partner */

/** A partner of targets that know none. @type {Partner} */
const ANYBODY = { id: 'p-100', signingKey: 'k', use: 'general', authCodes: [], accessToken: 't' };

/** @param {number} port @param {Partner} [partner] @returns {Profile} */
export function profileOf(port, partner = ANYBODY) {
  return {
    name: 'figures',
    baseUrl: `http://127.0.0.1:${port}`,
    environment: 'production',
    partners: [partner],
    signature: { tokenFields: 'all', estimateFields: 'all' },
    estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
    headers: {},
  };
}

if (process.argv[2] === '--serve' && process.send) {
  const kind = /** @type {keyof typeof KINDS} */ (process.argv[3]);
  const server = KINDS[kind](Number(process.argv[4]));
  server.listen(0, '127.0.0.1', () => {
    process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
  });
  process.on('disconnect', () => process.exit());
}
