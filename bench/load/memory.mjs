// Memory of the generator over many requests, which must not grow.

import { median } from '../server/table.mjs';
import { runApart } from './run-apart.mjs';

const REQUESTS = 10_000_000;
const LONGEST_S = 250;
/** Accepted variation of the heap and its buffers, in megabytes. */
const SWAY_MB = 8;

/** @param {import('./figure.mjs').Context} context @returns {Promise<import('./figure.mjs').Row[]>} */
export async function measureMemory({ nginxPort: port, tiny, log }) {
  const probe = (await runApart({ port, connections: 10, durationMs: 1000 })).result;
  const seconds = tiny ? 5 : Math.min(LONGEST_S, Math.ceil(REQUESTS / probe.achieved.rate));
  const { result, rssMb } = await runApart({ port, connections: 10, durationMs: seconds * 1000 });
  log(`RSS each second, MB: ${rssMb.join(' ')}`);
  const tenth = Math.max(1, Math.floor(rssMb.length / 10));
  const early = median(rssMb.slice(tenth, 2 * tenth));
  const late = median(rssMb.slice(-tenth));
  return [
    {
      figure: `memory of the generator over ${(result.achieved.sent / 1e6).toFixed(1)} million requests`,
      asked: `flat over 10 million (within ${SWAY_MB} MB)`,
      measured: `${early} MB in the second tenth, ${late} MB in the last`,
      held: late - early <= SWAY_MB,
    },
  ];
}
