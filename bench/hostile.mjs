// Memory, time and size of the document of a check on hostile targets, each in its own process.
//
//   npm run build && node bench/hostile.mjs [--only NAME]... [--control | --control-api]
//
//   --only NAME     one of the targets of bench/targets/hostile.mjs
//   --control       gives the checker a control API, so that it sends everything that it can
//   --control-api   puts the hostile target in the place of the control API; the service is right
//
// Exits with 1 if a check takes more than is asked. Takes about four minutes on two cores.

import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from '../build/server/index.js';
import { runCheck } from './check-process.mjs';
import {
  CONTROL_TARGETS,
  HTTP_TARGETS,
  RAW_TARGETS,
  startHostile,
  startHostileControl,
} from './targets/hostile.mjs';

const MOST_RSS_MB = 300;
const MOST_DOCUMENT_MB = 5;
const LONGEST_S = 120;
const TIMEOUT_MS = 1_000;
/** A control API that fails is an error of the profile. */
const ENDINGS = [0, 1, 3];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    control: { type: 'boolean', default: false },
    'control-api': { type: 'boolean', default: false },
  },
});

const REPORT_RSS = `import { writeSync } from 'node:fs';
process.on('exit', () => writeSync(2, 'maxRSS ' + process.resourceUsage().maxRSS));`;

const USES = /** @type {const} */ (['general', 'general', 'witness', 'spendable']);
const PARTNERS = USES.map((use, at) => ({
  id: `partner-${at}`,
  signingKey: `signing-key-of-partner-${at}`,
  use,
  authCodes: Array.from({ length: 5 }, (_, number) => `auth-code-${at}-${number}`),
}));

/**
 * @typedef {object} Addresses
 * @property {string} baseUrl
 * @property {{ url: string, token: string } | null} control
 *
 * @param {string} folder
 * @param {Addresses} addresses
 */
function writeProfile(folder, { baseUrl, control }) {
  const estimates = {
    plain: { product_type: 'private-car', ride_type: 'compact' },
    express: { product_type: 'express-car', ride_type: 'express' },
  };
  const profile = {
    name: 'hostile',
    baseUrl,
    partners: PARTNERS,
    estimates,
    ...(control && { control }),
  };
  writeFileSync(join(folder, 'profile.yaml'), JSON.stringify(profile));
}

/** @param {string} hostileUrl @param {import('../build/server/index.js').RunningServer} reference @returns {Addresses} */
function addressesOf(hostileUrl, { baseUrl, controlUrl, controlToken }) {
  const token = controlToken ?? '';
  if (options['control-api']) return { baseUrl, control: { url: hostileUrl, token } };
  const control = options.control ? { url: controlUrl ?? '', token } : null;
  return { baseUrl: hostileUrl, control };
}

/** @param {string} name */
async function measure(name) {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-hostile-'));
  const reference = await startServer({ controlPort: 0, partners: PARTNERS });
  const target = Object.hasOwn(CONTROL_TARGETS, name)
    ? await startHostileControl(name, reference.controlUrl ?? '')
    : await startHostile(name);
  try {
    writeProfile(folder, addressesOf(target.url, reference));
    const { code, seconds, stderr } = await runCheck(folder, {
      preload: REPORT_RSS,
      args: ['--out', 'out', '--timeout', String(TIMEOUT_MS), '--allow-ban'],
      timeoutMs: 2 * LONGEST_S * 1000,
    });
    const rssMb = Number(/maxRSS (\d+)/.exec(stderr)?.[1] ?? Number.NaN) / 1024;
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
      ENDINGS.includes(code ?? -1) &&
      !stderr.includes('INTERNAL');
    const mark = isKept ? 'held' : 'MISS';
    console.log(
      `${mark}  ${rssMb.toFixed(0).padStart(5)} MB  ${documentMb.toFixed(2).padStart(6)} MB  ${seconds.toFixed(1).padStart(6)} s  exit ${code}  ${name}`,
    );
    if (!isKept) console.log(stderr.split('\n').slice(-4).join('\n'));
    return isKept;
  } finally {
    target.stop();
    await reference.close(0);
    rmSync(folder, { recursive: true, force: true });
  }
}

const names = [
  ...Object.keys(HTTP_TARGETS),
  ...Object.keys(RAW_TARGETS),
  ...(options['control-api'] ? Object.keys(CONTROL_TARGETS) : []),
];
const chosen = names.filter((name) => options.only?.includes(name) ?? true);
console.log(
  `${chosen.length} targets; asked: under ${MOST_RSS_MB} MB, no file of ${MOST_DOCUMENT_MB} MB, under ${LONGEST_S} s\n`,
);
console.log('       memory   largest file   time');
let missed = 0;
for (const name of chosen) if (!(await measure(name))) missed++;
console.log(`\n${chosen.length - missed} held, ${missed} missed`);
process.exitCode = missed > 0 ? 1 : 0;
