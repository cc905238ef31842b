import { LatencyHistogram } from './histogram.ts';
import type { RecordedData } from './recorder.ts';

/** Measurements of several generators, merged. */
export interface MergedRecord {
  sent: number;
  ok: number;
  failed: number;
  okWithinWindow: number;
  firstAnswerAfterNs: number | null;
  response: LatencyHistogram;
  service: LatencyHistogram;
  sendLag: LatencyHistogram;
  statuses: Record<string, number>;
  errors: Record<string, number>;
}

/** Merges the measurements of generators without loss, in any order. */
export function mergeRecords(records: readonly RecordedData[]): MergedRecord {
  const sum = (of: (record: RecordedData) => number): number =>
    records.reduce((total, record) => total + of(record), 0);
  const firsts = records.flatMap(({ firstAnswerAfterNs }) => firstAnswerAfterNs ?? []);
  return {
    sent: sum(({ sent }) => sent),
    ok: sum(({ ok }) => ok),
    failed: sum(({ failed }) => failed),
    okWithinWindow: sum(({ okWithinWindow }) => okWithinWindow),
    firstAnswerAfterNs: firsts.length === 0 ? null : Math.min(...firsts),
    response: mergeHistograms(records.map(({ response }) => response)),
    service: mergeHistograms(records.map(({ service }) => service)),
    sendLag: mergeHistograms(records.map(({ sendLag }) => sendLag)),
    statuses: addCounts(records.map(({ statuses }) => statuses)),
    errors: addCounts(records.map(({ errors }) => errors)),
  };
}

function mergeHistograms(
  parts: readonly Parameters<LatencyHistogram['merge']>[0][],
): LatencyHistogram {
  const merged = new LatencyHistogram();
  for (const part of parts) merged.merge(part);
  return merged;
}

function addCounts(parts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const part of parts) {
    for (const [key, count] of Object.entries(part)) total[key] = (total[key] ?? 0) + count;
  }
  return total;
}
