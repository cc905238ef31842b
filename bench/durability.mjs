// Cost of writing ledger and token journal to disk before each request of a metered check.
//
//   npm run build && node bench/durability.mjs [--rounds N]
//
//   --rounds N   checks of each kind, in turn (default 8)
//
// Exits with 1 if a check with fsync takes more than 10 % longer than one without.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { describeProfile, startServer } from '../dist/server/index.js';
import { median } from './server/table.mjs';

const MOST_RATIO = 1.1;
const PROGRAM = fileURLToPath(new URL('../bin/fareproof.js', import.meta.url));

/** Counts and times every fsync; without `isReal` it does nothing in their place. @param {boolean} isReal */
const wrapper = (isReal) => `data:text/javascript,import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const real = fs.fsyncSync;
let [count, ms] = [0, 0];
fs.fsyncSync = (file) => {
  const startMs = performance.now();
  if (${isReal}) real(file);
  ms += performance.now() - startMs;
  count++;
};
syncBuiltinESMExports();
process.on('exit', () => fs.writeSync(2, 'fsync ' + count + ' ' + ms.toFixed(1)));`;

/** @param {boolean} isReal */
async function checkOnce(isReal) {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-durability-'));
  const server = await startServer();
  const { control: _, ...profile } = describeProfile(server);
  writeFileSync(join(folder, 'profile.yaml'), stringify(profile));
  const child = spawn(
    process.execPath,
    ['--import', wrapper(isReal), PROGRAM, 'check', '--target', 'profile.yaml', '--seed', '1'],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'], XDG_STATE_HOME: join(folder, 'state') },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const startMs = performance.now();
  await new Promise((resolve) => child.once('close', resolve));
  const seconds = (performance.now() - startMs) / 1000;
  await server.close(0);
  rmSync(folder, { recursive: true, force: true });
  const [, count, ms] = /fsync (\d+) ([\d.]+)$/.exec(said) ?? [];
  return { seconds, count: Number(count), ms: Number(ms) };
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '8' } } });
const [durable, volatile] = [
  /** @type {Awaited<ReturnType<typeof checkOnce>>[]} */ ([]),
  /** @type {Awaited<ReturnType<typeof checkOnce>>[]} */ ([]),
];
await checkOnce(true);
for (let round = 0; round < Number(values.rounds); round++) {
  durable.push(await checkOnce(true));
  volatile.push(await checkOnce(false));
}
const [with_, without] = [durable, volatile].map((runs) => median(runs.map((one) => one.seconds)));
const [count, ms] = [median(durable.map((one) => one.count)), median(durable.map((one) => one.ms))];
const ratio = (with_ ?? Number.NaN) / (without ?? Number.NaN);
console.log(
  `${ratio <= MOST_RATIO ? 'held' : 'MISS'}  a metered check: ${with_?.toFixed(2)} s with fsync, ${without?.toFixed(2)} s without, medians of ${values.rounds} (asked: at most 10 % more)`,
);
console.log(
  `      ${count} calls of fsync took ${ms.toFixed(0)} ms, ${((ms * 1000) / count).toFixed(0)} us each, ${((100 * ms) / 1000 / (with_ ?? 1)).toFixed(1)} % of the check; load ${loadavg()[0]?.toFixed(1)}`,
);
process.exitCode = ratio <= MOST_RATIO ? 0 : 1;
