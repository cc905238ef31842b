import type { ServerHealth } from '../../documents/load.ts';
import { roundTo3 } from './histogram.ts';
import { shareOfTime } from './thread-usage.ts';

/** Counters of the target's process since its start; the difference of two readings is its usage. */
export interface ServerReading {
  /** Time of the reading, monotonic clock, nanoseconds. */
  atNs: number;
  /** Time of its thread on a core, nanoseconds; null if unknown. */
  cpuNs: number | null;
  /** Resident memory of the whole process. */
  rssBytes: number;
  idleMs: number;
  activeMs: number;
  /** Time in garbage collection, milliseconds. */
  gcMs: number;
}

/** Health between two readings; memory is that of the later one. */
export function serverHealthBetween(before: ServerReading, after: ServerReading): ServerHealth {
  const idleMs = after.idleMs - before.idleMs;
  const activeMs = after.activeMs - before.activeMs;
  const cpu = shareOfTime(before.cpuNs, after.cpuNs, after.atNs - before.atNs);
  return {
    cpu: cpu === null ? null : roundTo3(cpu),
    rssBytes: after.rssBytes,
    eventLoopUtilization: idleMs + activeMs > 0 ? roundTo3(activeMs / (idleMs + activeMs)) : null,
    gcMs: roundTo3(after.gcMs - before.gcMs),
  };
}
