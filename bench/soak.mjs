// Soak: the reference server and the generator at half of the highest rate, each with its memory.
//
//   npm run build && node bench/soak.mjs [--minutes N] [--minute-seconds N]
//
//   --minutes N          length of the soak, at least 3 (default 10)
//   --minute-seconds N   length of a minute (default 60), to try the script: with 10 and 3 minutes, 30 s
//
// Needs taskset: the server runs on core 0, the generator on core 1. Exits with 1 if memory grows, if a
// request fails or is not sent, if the generator had no core for itself, or if the p99 of the last minute
// is more than 20 % above that of the second.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runApart } from './load/run-apart.mjs';
import { median } from './server/table.mjs';
import { PARTNER } from './targets/credentials.mjs';

/** Accepted growth from the second minute to the last, in megabytes. */
const SWAY_MB = 8;
const MOST_P99_RATIO = 1.2;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'minute-seconds': { type: 'string', default: '60' },
  },
});
const MINUTE_S = Number(values['minute-seconds']);
const minutes = Math.max(3, Number(values.minutes));

const serve = fileURLToPath(new URL('./targets/serve.mjs', import.meta.url));
const [pin, ...args] = ['taskset', '-c', '0', process.execPath, serve, 'ours'];
const server = spawn(pin, args, {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const [line] = await once(server.stdout, 'data');
const port = Number(String(line));

/** taskset becomes the server's process. */
function serverRssMb() {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Values of one minute, from 1. @param {number[]} each @param {number} minute */
const ofMinute = (each, minute) => each.slice((minute - 1) * MINUTE_S, minute * MINUTE_S);

/** @param {number[]} rssMb @param {string} name */
function growth(rssMb, name) {
  const [early, late] = [median(ofMinute(rssMb, 2)), median(ofMinute(rssMb, minutes))];
  const isFlat = late - early <= SWAY_MB;
  console.log(
    `${isFlat ? 'held' : 'MISS'}  memory of the ${name}: ${early.toFixed(1)} MB in the second minute, ${late.toFixed(1)} MB in the last (asked: within ${SWAY_MB} MB)`,
  );
  return isFlat;
}

const options = { port, partner: PARTNER };
const { achieved } = (await runApart({ ...options, connections: 16, durationMs: 5_000 })).result;
const rate = Math.floor(achieved.rate / 2);
console.log(
  `closed model: ${Math.round(achieved.rate)} requests/s; soak at ${rate}, ${minutes} minutes, load ${loadavg()[0]?.toFixed(1)}`,
);
/** @type {number[]} */
const serverMb = [];
const sampling = setInterval(() => serverMb.push(serverRssMb()), 1000);
const { result, rssMb } = await runApart({
  ...options,
  rate,
  durationMs: minutes * MINUTE_S * 1000,
});
clearInterval(sampling);
server.stdin.end();

const p99 = result.series.map(({ p99: us }) => us);
const [early, late] = [median(ofMinute(p99, 2)), median(ofMinute(p99, minutes))];
const isSteady = late <= MOST_P99_RATIO * early;
const { sent, planned, failed } = result.achieved;
// An invalid run says how the generator fared, and not how the server did.
const isWhole = failed === 0 && sent === planned && result.verdict !== 'invalid';
console.log(
  `${isWhole ? 'held' : 'MISS'}  ${sent} of ${planned} requests sent, ${failed} failed; ${result.verdict}`,
);
const held = [growth(serverMb, 'server'), growth(rssMb, 'generator')];
console.log(
  `${isSteady ? 'held' : 'MISS'}  p99, median of the seconds: ${early} us in the second minute, ${late} us in the last (asked: within 20 %)`,
);
process.exitCode = isSteady && isWhole && held.every(Boolean) ? 0 : 1;
