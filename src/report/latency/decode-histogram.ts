import { decodeFromCompressedBase64, JsHistogram } from 'hdr-histogram-js';

/** A recorded value and its count. */
export interface RecordedValue {
  us: number;
  count: number;
}

/**
 * Decodes an HDR V2 histogram (compressed, base64).
 *
 * @returns the recorded values in ascending order; null for any other text
 */
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
