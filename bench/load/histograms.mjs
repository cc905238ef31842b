// Merged histograms of four workers against the histogram of all samples, at every percentile.

import { LatencyHistogram } from '../../build/load/record/histogram.js';
import { createRandom } from '../../build/load/seeded-random.js';

const WORKERS = 4;
const PERCENTILES = 100_001;

/** @param {import('./figure.mjs').Context} context @returns {Promise<import('./figure.mjs').Row[]>} */
export async function measureHistograms({ tiny }) {
  const random = createRandom(1, 'histograms');
  const all = new LatencyHistogram();
  const parts = Array.from({ length: WORKERS }, () => new LatencyHistogram());
  const samples = tiny ? 10_000 : 1_000_000;
  for (let index = 0; index < samples; index++) {
    const us = 50 * Math.exp(random() ** 4 * 12);
    all.record(us);
    parts[Math.floor(random() * WORKERS)]?.record(us);
  }
  const merged = new LatencyHistogram();
  for (const part of parts) merged.merge(structuredClone(part.toData()));
  let different = 0;
  const step = tiny ? 100 : 1;
  for (let at = 0; at < PERCENTILES; at += step) {
    const percentile = at / 1000;
    if (merged.percentileUs(percentile) !== all.percentileUs(percentile)) different++;
  }
  const same = different === 0 && merged.encode() === all.encode() && merged.maxUs === all.maxUs;
  return [
    {
      figure: `histograms of ${WORKERS} workers merged, ${samples} samples`,
      asked: 'equal at every percentile',
      measured: same ? 'equal' : `${different} percentiles differ`,
      held: same,
    },
  ];
}
