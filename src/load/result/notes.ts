import type { GeneratorReport } from '../engine/engine.ts';

/** Sentences on how generators counted; usually none. */
export function countingNotes(reports: readonly GeneratorReport[]): string[] {
  const unexpected = reports.reduce((sum, { unexpectedBytes = 0 }) => sum + unexpectedBytes, 0);
  if (unexpected === 0) return [];
  const often = unexpected === 1 ? 'once' : `${unexpected} times`;
  return [
    `Bytes that belong to no answer came ${often}, warm-up included: an answer was longer than its head says, or there was one answer too many. The request before them counts as failed (unexpected-bytes), and the connection was ended.`,
  ];
}
