import { decodeFromCompressedBase64, JsHistogram } from 'hdr-histogram-js';

/** A recorded value and its count. */
export interface RecordedValue {
  us: number;
  count: number;
}

/** Decodes an HDR V2 histogram (compressed, base64), in ascending order; null for any other text. */
export function decodeHistogram(base64: string): RecordedValue[] | null {
  if (base64 === '') return null;
  try {
    const histogram = decodeFromCompressedBase64(base64);
    return histogram instanceof JsHistogram ? recordedValues(histogram) : null;
  } catch {
    return null;
  }
}

function recordedValues(histogram: JsHistogram): RecordedValue[] {
  const values: RecordedValue[] = [];
  for (let index = 0; index < histogram.countsArrayLength; index += 1) {
    const count = histogram.getCountAtIndex(index);
    if (count > 0) values.push({ us: histogram.valueFromIndex(index), count });
  }
  return values;
}

/** A distribution by percentile; `at` is −log10(1 − q): 1 is p90, 2 is p99, 3 is p99.9. */
export interface PercentileCurve {
  at: number[];
  us: number[];
}

/** Points in a decade of percentiles. */
const STEPS_PER_DECADE = 20;

/** Latency by percentile, up to the highest that the count supports, which is the maximum. */
export function percentileCurve(values: readonly RecordedValue[]): PercentileCurve {
  const total = values.reduce((sum, { count }) => sum + count, 0);
  const curve: PercentileCurve = { at: [], us: [] };
  // One step beyond the nines of the total, so that the last point is the maximum.
  const last = Math.floor(Math.log10(Math.max(1, total)) * STEPS_PER_DECADE) + 1;
  let below = 0;
  let index = 0;
  for (let step = 0; step <= last && values.length > 0; step += 1) {
    const at = step / STEPS_PER_DECADE;
    const rank = Math.min(total, Math.max(1, Math.ceil(total * (1 - 10 ** -at))));
    while (index < values.length - 1 && below + (values[index]?.count ?? 0) < rank) {
      below += values[index]?.count ?? 0;
      index += 1;
    }
    curve.at.push(at);
    curve.us.push(values[index]?.us ?? 0);
  }
  return curve;
}
