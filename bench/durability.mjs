// Cost of writing ledger and token journal to disk before each request of a metered check.
//
//   npm run build && node bench/durability.mjs [--rounds N]
//
//   --rounds N   checks of each kind, in turn (default 8)
//
// Exits with 1 if a check with fsync takes more than 10 % longer than one without.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { describeProfile, startServer } from '../build/server/index.js';
import { runCheck } from './check-process.mjs';
import { median } from './server/table.mjs';

const MOST_RATIO = 1.1;

/** Counts and times every fsync; without `isReal` it does nothing in their place. @param {boolean} isReal */
const wrapper = (isReal) => `import fs from 'node:fs';
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
  const { seconds, stderr } = await runCheck(folder, { preload: wrapper(isReal) });
  await server.close(0);
  rmSync(folder, { recursive: true, force: true });
  const [, count, ms] = /fsync (\d+) ([\d.]+)$/.exec(stderr) ?? [];
  return { seconds, count: Number(count), ms: Number(ms) };
}

/** @typedef {Awaited<ReturnType<typeof checkOnce>>} Check */

/** @param {readonly Check[]} checks @param {keyof Check} field */
const medianOf = (checks, field) => median(checks.map((one) => one[field]));

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '8' } } });
/** @type {Check[]} */
const durable = [];
/** @type {Check[]} */
const volatile = [];
await checkOnce(true);
for (let round = 0; round < Number(values.rounds); round++) {
  durable.push(await checkOnce(true));
  volatile.push(await checkOnce(false));
}
const [durableS, volatileS] = [medianOf(durable, 'seconds'), medianOf(volatile, 'seconds')];
const [count, ms] = [medianOf(durable, 'count'), medianOf(durable, 'ms')];
const isCheap = durableS <= MOST_RATIO * volatileS;
console.log(
  `${isCheap ? 'held' : 'MISS'}  a metered check: ${durableS.toFixed(2)} s with fsync, ${volatileS.toFixed(2)} s without, medians of ${values.rounds} (asked: at most 10 % more)`,
);
console.log(
  `      ${count} calls of fsync took ${ms.toFixed(0)} ms, ${((ms * 1000) / count).toFixed(0)} us each, ${(ms / 10 / durableS).toFixed(1)} % of the check; load ${loadavg()[0]?.toFixed(1)}`,
);
process.exitCode = isCheap ? 0 : 1;
