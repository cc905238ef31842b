import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** Usage of a thread since its start; the difference of two readings is what it used. */
export interface ThreadUsage {
  /** Time on a core, nanoseconds; null if the system does not report it by thread. */
  cpuNs: number | null;
  /** Time runnable without a core, nanoseconds; null as above. */
  coreWaitNs: number | null;
  /** Idle time of the event loop, milliseconds. */
  idleMs: number;
  /** Active time of the event loop, milliseconds. */
  activeMs: number;
}

/** Reads the usage of the thread that calls it. */
export function readThreadUsage(): ThreadUsage {
  const { idle, active } = performance.eventLoopUtilization();
  return { ...readScheduling(), idleMs: idle, activeMs: active };
}

/** Linux reports it for the calling thread; elsewhere it is unknown. */
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

/** Rise of a counter as a share of the elapsed time; null if it is unknown. */
export function shareOfTime(
  before: number | null,
  after: number | null,
  elapsedNs: number,
): number | null {
  return before === null || after === null || elapsedNs <= 0 ? null : (after - before) / elapsedNs;
}
