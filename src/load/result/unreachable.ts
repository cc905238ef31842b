import { FareproofError } from '../../interface/errors.ts';
import { Redactor } from '../../redaction/index.ts';
import type { PlannedLoad } from '../plan-load.ts';
import { buildResult, type LoadResult } from './build.ts';

/** Reason for an error that says that the target cannot be reached; null for any other. */
export function unreachableReasonOf(error: unknown): string | null {
  const isUnreachable = error instanceof FareproofError && error.code === 'TARGET_UNREACHABLE';
  return isUnreachable ? `${error.code}: ${error.message}` : null;
}

/** Result of a load for which no token could be requested: invalid, for that reason. */
export function resultOfUnreachable(load: PlannedLoad, reason: string): LoadResult {
  const now = load.context.clock.now();
  return buildResult({
    load,
    reports: [],
    series: [],
    startedAtMs: now,
    finishedAtMs: now,
    measuredMs: 0,
    abortedOn: null,
    server: null,
    partnerId: load.partners[0].id,
    requestCount: 0,
    notes: [],
    redactor: new Redactor(),
    unreachable: reason,
  });
}
