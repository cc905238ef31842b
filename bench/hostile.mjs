// Memory, time and size of the document of a check on hostile targets, each in its own process.
//
//   npm run build && node bench/hostile.mjs [--only NAME]... [--control]
//
//   --only NAME   one of the targets of bench/targets/hostile.mjs
//   --control     gives the checker a control API, so that it sends everything that it can
//
// Exits with 1 if a check takes more than is asked. Takes about four minutes on two cores.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from '../dist/server/index.js';
import { HTTP_TARGETS, RAW_TARGETS, startHostile } from './targets/hostile.mjs';

const MOST_RSS_MB = 300;
const MOST_DOCUMENT_MB = 5;
const LONGEST_S = 120;
const TIMEOUT_MS = 1_000;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    control: { type: 'boolean', default: false },
  },
});

const PROGRAM = fileURLToPath(new URL('../bin/fareproof.js', import.meta.url));
const REPORT_RSS = `data:text/javascript,import { writeSync } from 'node:fs';
process.on('exit', () => writeSync(2, 'maxRSS ' + process.resourceUsage().maxRSS));`;

/** @param {string} folder @param {number} port @param {import('../dist/server/index.js').RunningServer | null} reference */
function profileOf(folder, port, reference) {
  const control = reference && { url: reference.controlUrl, token: reference.controlToken };
  const partners = ['general', 'general', 'witness', 'spendable'].map((use, at) => ({
    id: `partner-${at}`,
    signingKey: `signing-key-of-partner-${at}`,
    use,
    authCodes: Array.from({ length: 5 }, (_, number) => `auth-code-${at}-${number}`),
  }));
  const estimates = {
    plain: { product_type: 'private-car', ride_type: 'compact' },
    express: { product_type: 'express-car', ride_type: 'express' },
  };
  const baseUrl = `http://127.0.0.1:${port}`;
  const profile = { name: 'hostile', baseUrl, partners, estimates, ...(control && { control }) };
  writeFileSync(join(folder, 'profile.yaml'), JSON.stringify(profile));
}

/** @param {string} name */
async function measure(name) {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-hostile-'));
  const target = await startHostile(name);
  const reference = options.control ? await startServer({ controlPort: 0 }) : null;
  try {
    profileOf(folder, target.port, reference);
    const args = ['check', '--target', 'profile.yaml', '--out', 'out', '--seed', '1'];
    const child = spawn(
      process.execPath,
      ['--import', REPORT_RSS, PROGRAM, ...args, '--timeout', String(TIMEOUT_MS), '--allow-ban'],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'], XDG_STATE_HOME: join(folder, 'state') },
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: 2 * LONGEST_S * 1000,
      },
    );
    const startMs = performance.now();
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    const seconds = (performance.now() - startMs) / 1000;
    const rssMb = Number(/maxRSS (\d+)/.exec(said)?.[1] ?? Number.NaN) / 1024;
    const out = join(folder, 'out');
    const names = existsSync(out) ? readdirSync(out) : [];
    // The log of a run that can be resumed is no document; it is deleted once nothing is pending.
    const files = names
      .filter((file) => !file.endsWith('.jsonl'))
      .map((file) => statSync(join(out, file)).size / 1e6);
    const documentMb = Math.max(0, ...files);
    const isKept =
      rssMb < MOST_RSS_MB &&
      documentMb < MOST_DOCUMENT_MB &&
      seconds < LONGEST_S &&
      [0, 1, 3].includes(code) &&
      !said.includes('INTERNAL');
    const mark = isKept ? 'held' : 'MISS';
    console.log(
      `${mark}  ${rssMb.toFixed(0).padStart(5)} MB  ${documentMb.toFixed(2).padStart(6)} MB  ${seconds.toFixed(1).padStart(6)} s  exit ${code}  ${name}`,
    );
    if (!isKept) console.log(said.split('\n').slice(-4).join('\n'));
    return isKept;
  } finally {
    target.stop();
    await reference?.close(0);
    rmSync(folder, { recursive: true, force: true });
  }
}

const names = [...Object.keys(HTTP_TARGETS), ...Object.keys(RAW_TARGETS)];
const chosen = names.filter((name) => options.only?.includes(name) ?? true);
console.log(
  `${chosen.length} targets; asked: under ${MOST_RSS_MB} MB, no file of ${MOST_DOCUMENT_MB} MB, under ${LONGEST_S} s\n`,
);
console.log('       memory   largest file   time');
let missed = 0;
for (const name of chosen) if (!(await measure(name))) missed++;
console.log(`\n${chosen.length - missed} held, ${missed} missed`);
process.exitCode = missed > 0 ? 1 : 0;
