// Accuracy of the load generator: each figure as required and as measured.
//
//   npm run build && node bench/load-figures.mjs [--only NAME]... [--tiny] [--verbose]
//
//   --only NAME   engines, stalls, half-rate, find-max, comparison, histograms,
//                 memory, agents or busy
//   --tiny        shortens everything to seconds, to try the script; the figures are meaningless
//   --verbose     prints details of each figure
//
// Takes about twenty-five minutes on an idle machine with two cores. Needs nginx, wrk and taskset. A generator
// that is pinned runs on core 1, nginx on core 0.

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureAgents } from './load/agents.mjs';
import { measureBusy } from './load/busy.mjs';
import { measureComparison } from './load/comparison.mjs';
import { measureEngines } from './load/engines.mjs';
import { lineOf } from './load/figure.mjs';
import { measureFindMax } from './load/find-max.mjs';
import { measureHalfRate } from './load/half-rate.mjs';
import { measureHistograms } from './load/histograms.mjs';
import { measureMemory } from './load/memory.mjs';
import { measureStalls } from './load/stalls.mjs';
import { startNginx } from './server/nginx.mjs';
import { ANSWER } from './targets/estimate.mjs';

/** @type {Record<string, (context: import('./load/figure.mjs').Context) => Promise<import('./load/figure.mjs').Row[]>>} */
const FIGURES = {
  histograms: measureHistograms,
  engines: measureEngines,
  'half-rate': measureHalfRate,
  stalls: measureStalls,
  'find-max': measureFindMax,
  comparison: measureComparison,
  memory: measureMemory,
  agents: measureAgents,
  busy: measureBusy,
};

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    tiny: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

async function run() {
  const unknown = options.only?.find((name) => !Object.hasOwn(FIGURES, name));
  if (unknown !== undefined) {
    console.error(`--only: there is no ${unknown}; choose from ${Object.keys(FIGURES).join(', ')}`);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-figures-'));
  const nginx = await startNginx(folder, ANSWER, ['taskset', '-c', '0']);
  const loads = () => loadavg().map((load) => load.toFixed(2));
  console.log(
    `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, load ${loads().join(' ')}\n`,
  );
  let missed = 0;
  try {
    for (const [name, measure] of Object.entries(FIGURES)) {
      if (options.only && !options.only.includes(name)) continue;
      const log = (/** @type {string} */ text) => {
        if (options.verbose) console.error(`  ${name}: ${text}`);
      };
      for (const row of await measure({ nginxPort: nginx.port, tiny: options.tiny, log })) {
        if (row.held === false) missed++;
        console.log(lineOf(row));
      }
    }
  } finally {
    nginx.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return missed > 0 && !options.tiny ? 1 : 0;
}

process.exitCode = await run();
