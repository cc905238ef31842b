import { type HistogramData, LatencyHistogram, roundTo3 } from './histogram.ts';
import { mergeParts } from './parts.ts';
import type { RecordedData, RecordSoFar } from './recorder.ts';

type Clocked = 'response' | 'service' | 'failures' | 'sendLag';

/** Measurements of several generators, merged. */
export interface MergedRecord
  extends Omit<RecordedData, Clocked | 'seconds'>,
    Record<Clocked, LatencyHistogram> {}

/** Merges the measurements of generators without loss, in any order. */
export function mergeRecords(records: readonly RecordedData[]): MergedRecord {
  const sum = (
    of: 'sent' | 'ok' | 'failed' | 'checked' | 'reconnected' | 'okWithinWindow',
  ): number => records.reduce((total, record) => total + record[of], 0);
  const firsts = records.flatMap(({ firstAnswerAfterNs }) => firstAnswerAfterNs ?? []);
  return {
    sent: sum('sent'),
    ok: sum('ok'),
    failed: sum('failed'),
    checked: sum('checked'),
    reconnected: sum('reconnected'),
    okWithinWindow: sum('okWithinWindow'),
    firstAnswerAfterNs: firsts.length === 0 ? null : Math.min(...firsts),
    response: mergeHistograms(records.map(({ response }) => response)),
    service: mergeHistograms(records.map(({ service }) => service)),
    failures: mergeHistograms(records.map(({ failures }) => failures)),
    sendLag: mergeHistograms(records.map(({ sendLag }) => sendLag)),
    parts: records.flatMap(({ parts }) => parts),
    statuses: addCounts(records.map(({ statuses }) => statuses)),
    errors: addCounts(records.map(({ errors }) => errors)),
  };
}

function mergeHistograms(parts: readonly HistogramData[]): LatencyHistogram {
  const merged = new LatencyHistogram();
  for (const part of parts) merged.merge(part);
  return merged;
}

/** Adds up the records of generators as one part of a run; of none, all is 0. */
export function addRecords(records: readonly RecordSoFar[]): RecordSoFar {
  const parts = mergeParts(records.flatMap((record) => record.parts));
  const { response, service, failures, ...counts } = parts;
  return {
    okWithinWindow: records.reduce((sum, record) => sum + record.okWithinWindow, 0),
    firstAnswerAfterNs: null,
    sendLag: mergeHistograms(records.map(({ sendLag }) => sendLag)).toData(),
    parts: [
      {
        shape: 0,
        stage: 0,
        stalled: false,
        ...counts,
        response: response.toData(),
        service: service.toData(),
        failures: failures.toData(),
      },
    ],
    statuses: addCounts(records.map(({ statuses }) => statuses)),
    errors: addCounts(records.map(({ errors }) => errors)),
  };
}

/** Adds up counts by name. */
export function addCounts(
  parts: readonly Readonly<Record<string, number>>[],
): Record<string, number> {
  const total: Record<string, number> = {};
  for (const part of parts) {
    for (const [key, count] of Object.entries(part)) total[key] = (total[key] ?? 0) + count;
  }
  return total;
}

/** Sum of a figure of several generators; null if it is not known of each. */
export function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || known.length < values.length) return null;
  return roundTo3(known.reduce((sum, value) => sum + value, 0));
}

/** Highest of a figure of several generators, as far as it is known. */
export function highestOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : roundTo3(Math.max(...known));
}
