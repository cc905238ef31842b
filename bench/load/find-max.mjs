// --find-max on a target with a built-in capacity: checks that the interval contains it.

import { findMax, planLoad } from '../../build/load/index.js';
import { profileOf, startTarget } from './targets.mjs';

const LONGEST_MS = 100_000;

/** @param {import('./figure.mjs').Context} context @returns {Promise<import('./figure.mjs').Row[]>} */
export async function measureFindMax({ tiny, log }) {
  const capacity = tiny ? 500 : 2000;
  const target = await startTarget('capacity', capacity);
  try {
    const load = await planLoad({
      ledger: 'none',
      profile: profileOf(target.port),
      duration: tiny ? '300ms' : '2s',
      warmup: tiny ? '100ms' : '500ms',
      findMax: tiny ? 'p99<5ms' : 'p99<20ms,errors<0.1%',
      signal: AbortSignal.timeout(tiny ? 15_000 : LONGEST_MS),
      output: {
        end: ({ trial }) => {
          if (trial === undefined) return;
          const { rate, held, valid, latencyUs, coreWait } = trial;
          log(
            `${rate}/s ${held ? 'held' : valid ? 'fell short' : 'not valid'}, p99 ${(latencyUs.response.p99 / 1000).toFixed(1)} ms, no core for ${(100 * (coreWait ?? 0)).toFixed(1)} %`,
          );
        },
      },
    });
    const { interval, verdict, reason, trials } = await findMax(load);
    log(reason);
    const { low, high } = interval;
    const within = (/** @type {number} */ rate) => Math.abs(rate / capacity - 1) <= 0.05;
    return [
      {
        figure: `--find-max on a capacity of ${capacity}/s`,
        asked: 'within 5 %',
        measured: `${verdict}: ${low}/s to ${high ?? '?'}/s in ${trials.length} trials`,
        held: verdict === 'found' && within(low) && high !== null && within(high),
      },
    ];
  } finally {
    target.stop();
  }
}
