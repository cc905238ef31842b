import { shareOfTime } from './thread-usage.ts';

/** What the target's own process says of itself; counters since its start, two readings subtract. */
export interface ServerReading {
  /** When it was read, monotonic clock, nanoseconds. */
  atNs: number;
  /** Time of its thread on a core, nanoseconds; null where unknown. */
  cpuNs: number | null;
  /** Of the whole process. */
  rssBytes: number;
  idleMs: number;
  activeMs: number;
  /** Time in garbage collection, milliseconds. */
  gcMs: number;
}

/** The target's own side over the measured window, as the run document holds it. */
export interface ServerHealth {
  /** Cores in use. */
  cpu: number | null;
  rssBytes: number | null;
  /** 0 to 1. */
  eventLoopUtilization: number | null;
  gcMs: number | null;
}

/** What happened between two readings; memory is that of the later one. */
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
