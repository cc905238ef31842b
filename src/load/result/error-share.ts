import type { LoadDocument } from '../../documents/load.ts';
import type { PartRecord } from '../record/parts.ts';
import { SHAPE_FAULTS } from '../record/recorder.ts';

/**
 * Failed share of the planned requests, 0 to 1; null if none was planned.
 *
 * Only a sample of the answers is checked, so a malformed one stands for those that were not: of
 * checked answers that are all malformed, every answer with status 200 counts as failed.
 */
export function errorShareOf(
  record: Pick<LoadDocument['achieved'], 'ok' | 'failed' | 'checked'> &
    Pick<LoadDocument, 'errors'>,
): number | null {
  return failedShareOf({ ...record, malformed: malformedIn(record.errors) });
}

/** {@link errorShareOf} of a part of a run. */
export function failedShareOf(
  part: Pick<PartRecord, 'ok' | 'failed' | 'checked' | 'malformed'>,
): number | null {
  const { ok, failed, checked, malformed } = part;
  const planned = ok + failed;
  if (planned === 0) return null;
  if (malformed === 0) return failed / planned;
  const malformedOfAll = (malformed / Math.max(checked, malformed)) * (ok + malformed);
  return (failed - malformed + malformedOfAll) / planned;
}

/** Share of the planned requests that were sent again, 0 to 1; null if none was planned. */
export function reconnectedShareOf(
  part: Pick<PartRecord, 'ok' | 'failed' | 'reconnected'>,
): number | null {
  const planned = part.ok + part.failed;
  return planned === 0 ? null : part.reconnected / planned;
}

/** Number of checked answers whose shape was not that of an estimate. */
export function malformedIn(errors: Readonly<Record<string, number>>): number {
  return SHAPE_FAULTS.reduce((sum, kind) => sum + (errors[kind] ?? 0), 0);
}
