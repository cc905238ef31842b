import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** What a thread has used up since it began; two readings subtract. */
export interface ThreadUsage {
  /** Time on a core, nanoseconds; null where the system does not tell it for a thread. */
  cpuNs: number | null;
  /** Time ready to run, with no core to be had, nanoseconds; null as above. */
  coreWaitNs: number | null;
  /** Time in which the event loop waited, milliseconds. */
  idleMs: number;
  /** Time in which it did not, milliseconds. */
  activeMs: number;
}

/** Reads the usage of the thread that calls it. */
export function readThreadUsage(): ThreadUsage {
  const { idle, active } = performance.eventLoopUtilization();
  return { ...readScheduling(), idleMs: idle, activeMs: active };
}

/** Linux tells it for the calling thread; elsewhere it stays open. */
function readScheduling(): Pick<ThreadUsage, 'cpuNs' | 'coreWaitNs'> {
  try {
    const [onCore, waited] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
    return { cpuNs: finite(onCore), coreWaitNs: finite(waited) };
  } catch {
    return { cpuNs: null, coreWaitNs: null };
  }
}

function finite(text: string | undefined): number | null {
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** How much a counter rose in a time, as a share of it; null where it is not known. */
export function shareOfTime(
  before: number | null,
  after: number | null,
  elapsedNs: number,
): number | null {
  return before === null || after === null || elapsedNs <= 0 ? null : (after - before) / elapsedNs;
}
