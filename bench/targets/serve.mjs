// Starts one of the measured servers in its own process: node bench/targets/serve.mjs NAME
// Prints its port, and ends when stdin ends.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { preferShortPauses, startServer } from '../../build/server/index.js';
import { PARTNER } from './credentials.mjs';

const HOST = '127.0.0.1';

/** @type {Record<string, () => Promise<number>>} */
const TARGETS = {
  ours: () => serveOurs(),
  'ours-https': () => serveOurs({ tls: certificate() }),
  'ours-no-fast-path': () => serveOurs({ fastPath: false }),
  'ours-two-workers': () => serveOurs({ workers: 2 }),
  'node-http': serveConstant,
};

/** @param {import('../../build/server/index.js').ServerOptions} [options] */
async function serveOurs(options) {
  preferShortPauses();
  const server = await startServer({
    partners: [PARTNER],
    expiresInSeconds: 86_400,
    // All processes share one core here.
    workerSilenceMs: 60_000,
    ...options,
  });
  return server.port;
}

function certificate() {
  const { FAREPROOF_BENCH_CERT: cert = '', FAREPROOF_BENCH_KEY: key = '' } = process.env;
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}

/** The lower bound for `node:http`: fixed bytes of the length of an estimate. */
async function serveConstant() {
  const body = Buffer.alloc(Number(process.env['FAREPROOF_BENCH_BODY_BYTES'] ?? 379), 'x');
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(body.length),
  };
  const server = createServer((_, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  return new Promise((resolve) => {
    server.listen(0, HOST, () => resolve(/** @type {{ port: number }} */ (server.address()).port));
  });
}

const start = TARGETS[process.argv[2] ?? ''];
if (start === undefined) throw new Error(`name one of ${Object.keys(TARGETS).join(', ')}`);
process.stdout.write(`${await start()}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
