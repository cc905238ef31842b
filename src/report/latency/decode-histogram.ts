import { decodeFromCompressedBase64, JsHistogram } from 'hdr-histogram-js';

/** A value that was recorded and how often, microseconds. */
export interface RecordedValue {
  us: number;
  count: number;
}

/**
 * The recorded values of an HDR V2 histogram (compressed, base64), from the lowest up; null where
 * the text is no such histogram.
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
