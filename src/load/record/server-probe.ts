import type { ServerHealth } from '../../documents/load.ts';
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
    cpu: cpu === null ? null : round(cpu),
    rssBytes: after.rssBytes,
    eventLoopUtilization: idleMs + activeMs > 0 ? round(activeMs / (idleMs + activeMs)) : null,
    gcMs: round(after.gcMs - before.gcMs),
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
