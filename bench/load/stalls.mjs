// Load on a target that stalls 200 ms every second: compares the latencies of the open model with those
// that the target's log of its stalls implies, and shows what the closed model hides.

import hdr from 'hdr-histogram-js';
import { runLoad, systemClock } from '../../build/load/index.js';
import { profileOf, startTarget } from './targets.mjs';

const RATE = 1000;
const CONNECTIONS = 10;
const WARMUP_MS = 1000;
const SLOW_SERVICE_US = 50_000;

/** @param {import('./figure.mjs').Context} context @returns {Promise<import('./figure.mjs').Row[]>} */
export async function measureStalls({ tiny, log }) {
  const target = await startTarget('stalls');
  const clock = systemClock();
  const common = {
    profile: profileOf(target.port),
    clock,
    seed: 1,
    connections: CONNECTIONS,
    warmup: `${WARMUP_MS}ms`,
  };
  try {
    const startNs = clock.monotonicNs();
    const open = await runLoad({
      ledger: 'none',
      ...common,
      rate: RATE,
      duration: tiny ? '3s' : '30s',
    });
    const closed = await runLoad({ ledger: 'none', ...common, duration: tiny ? '2s' : '10s' });
    const implied = impliedUs(target.stalls, startNs + WARMUP_MS * 1e6, open);
    log(`open model: ${open.verdict}, ${open.achieved.sent} sent of ${open.achieved.planned}`);
    const slow = shareAbove(open.histograms.service, SLOW_SERVICE_US);
    return [
      ...['p99', 'p99.9'].map((name) => {
        const found = open.latencyUs.response[name === 'p99' ? 'p99' : 'p99_9'];
        const hidden = closed.latencyUs.response[name === 'p99' ? 'p99' : 'p99_9'];
        const share = Number(name.slice(1)) / 100;
        const wanted = implied[Math.ceil(share * implied.length) - 1] ?? Number.NaN;
        log(`${name}: open ${ms(found)}, implied ${ms(wanted)}, closed model ${ms(hidden)}`);
        const off = found / wanted - 1;
        return {
          figure: `${name} of response time on stalls, off what they imply`,
          asked: 'within 3 %',
          measured: `${(100 * off).toFixed(2)} %`,
          held: Math.abs(off) <= 0.03,
        };
      }),
      {
        figure: 'service time above 50 ms there',
        asked: '< 2 % of requests',
        measured: `${(100 * slow).toFixed(2)} %`,
        held: slow < 0.02,
      },
    ];
  } finally {
    target.stop();
  }
}

/**
 * Computes the latencies that the stalls imply: a request planned within a stall is answered at the
 * end of the stall, any other at once. The time of an answer itself is the median service time.
 *
 * @param {[number, number][]} stalls from the target's log
 * @param {number} startNs start of the measured window; the delay until the run begins shifts all
 *   planned times equally
 * @param {import('../../build/load/index.js').LoadResult} run
 */
function impliedUs(stalls, startNs, { latencyUs, achieved }) {
  const serviceUs = latencyUs.service.p50;
  const responses = Array.from({ length: achieved.planned }, (_, slot) => {
    const plannedNs = startNs + (slot / RATE) * 1e9;
    const stall = stalls.find(([fromNs, toNs]) => plannedNs >= fromNs && plannedNs < toNs);
    return stall ? (stall[1] - plannedNs) / 1000 + serviceUs : serviceUs;
  });
  return responses.sort((a, b) => a - b);
}

/** @param {string} encoded @param {number} us */
function shareAbove(encoded, us) {
  const histogram = hdr.decodeFromCompressedBase64(encoded);
  let [low, high] = [0, 100];
  while (high - low > 0.001) {
    const middle = (low + high) / 2;
    if (histogram.getValueAtPercentile(middle) > us) high = middle;
    else low = middle;
  }
  return 1 - low / 100;
}

/** @param {number} us */
const ms = (us) => `${(us / 1000).toFixed(2)} ms`;
