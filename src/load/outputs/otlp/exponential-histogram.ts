import type { ExponentialHistogram } from '@opentelemetry/sdk-metrics';
import { type HistogramData, valuesOf } from '../../record/histogram.ts';

/** As many buckets as the SDK keeps by default. */
const MOST_BUCKETS = 160;
/** The finest scale that Prometheus stores: 256 buckets in each power of two. */
const FINEST_SCALE = 8;
const COARSEST_SCALE = -10;
const US_PER_S = 1e6;

/**
 * Adds up latencies as an exponential histogram in seconds. Its buckets are those of the finest scale
 * at which they are few enough; counts stay whole, and count, sum, min and max are exact.
 */
export function exponentialHistogramOf(parts: readonly HistogramData[]): ExponentialHistogram {
  const filled = parts.filter(({ count }) => count > 0);
  const values = filled.flatMap(valuesOf);
  const above0 = values.filter(([us]) => us > 0);
  const lowS = leastOf(above0.map(([us]) => us)) / US_PER_S;
  const highS = greatestOf(above0.map(([us]) => us)) / US_PER_S;
  const scale = above0.length === 0 ? FINEST_SCALE : scaleFor(lowS, highS);
  const offset = above0.length === 0 ? 0 : bucketOf(lowS, scale);
  const bucketCounts: number[] =
    above0.length === 0 ? [] : Array.from({ length: bucketOf(highS, scale) - offset + 1 }, () => 0);
  let zeroCount = 0;
  for (const [us, count] of values) {
    const at = us > 0 ? bucketOf(us / US_PER_S, scale) - offset : -1;
    if (at < 0) zeroCount += count;
    else bucketCounts[at] = (bucketCounts[at] ?? 0) + count;
  }
  return {
    count: filled.reduce((sum, { count }) => sum + count, 0),
    sum: filled.reduce((sum, { sumUs }) => sum + sumUs, 0) / US_PER_S,
    ...(filled.length > 0 && {
      min: leastOf(filled.map(({ minUs }) => minUs)) / US_PER_S,
      max: greatestOf(filled.map(({ maxUs }) => maxUs)) / US_PER_S,
    }),
    scale,
    zeroCount,
    positive: { offset, bucketCounts },
    negative: { offset: 0, bucketCounts: [] },
  };
}

function scaleFor(lowS: number, highS: number): number {
  for (let scale = FINEST_SCALE; scale > COARSEST_SCALE; scale--) {
    if (bucketOf(highS, scale) - bucketOf(lowS, scale) < MOST_BUCKETS) return scale;
  }
  return COARSEST_SCALE;
}

/** Index of the bucket of a value: bucket i holds base^i < value <= base^(i+1), base 2^(2^-scale). */
function bucketOf(value: number, scale: number): number {
  return Math.ceil(Math.log2(value) * 2 ** scale) - 1;
}

const leastOf = (values: readonly number[]): number =>
  values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);

const greatestOf = (values: readonly number[]): number =>
  values.reduce((greatest, value) => Math.max(greatest, value), 0);
