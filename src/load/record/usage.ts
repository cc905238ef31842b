import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { ServerHealth } from '../../documents/load.ts';
import { Heartbeat } from './heartbeat.ts';
import { roundTo3 } from './histogram.ts';
import type { MeasuredWindow } from './recorder.ts';

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
function shareOfTime(
  before: number | null,
  after: number | null,
  elapsedNs: number,
): number | null {
  return before === null || after === null || elapsedNs <= 0 ? null : (after - before) / elapsedNs;
}

/**
 * Share of the time that a thread waited for a core, 0 to 1. The system counts a wait when it ends, so that one
 * which began before may be longer than the time that has passed since.
 */
function shareWaited(
  before: number | null,
  after: number | null,
  elapsedNs: number,
): number | null {
  const share = shareOfTime(before, after, elapsedNs);
  return share === null ? null : Math.min(1, share);
}

/** CPU and event-loop usage of a generator over the measured window. */
export interface GeneratorUsage {
  /** Cores in use; null if the system does not report it. */
  cpu: number | null;
  /** Share of the time it was runnable and waited for a core, 0 to 1; null as above. */
  coreWait: number | null;
  /** Share of the time in which the event loop had work, 0 to 1; spin-waiting does not count. */
  eventLoopUtilization: number;
}

/** Usage of a generator over the measured window, and for how long it stood still. */
export interface WholeUsage extends GeneratorUsage {
  /** From the start of the window on, suspensions of the machine included, milliseconds. */
  stoodStillMs: number;
  /** Time of the window that it lost by it, milliseconds. */
  lostMs: number;
  /**
   * Share of the window in which it was stopped or got no core for moments, 0 to 1; in the open model, while all its
   * connections were busy. 0 where that is not measured.
   */
  heldUp: number;
}

/** A reading of the usage of a generator. */
export interface UsageSample extends ThreadUsage {
  atNs: number;
  spunNs: number;
}

/**
 * Measures how busy a generator is over the measured window. To the event loop, a generator that
 * spins until a planned time is always busy; spinning without work counts as idle here.
 */
export class UsageMeter {
  /** Time spun without work so far, nanoseconds. */
  spunNs = 0;
  #start: UsageSample | null = null;
  #end: UsageSample | null = null;
  #lap: UsageSample | null = null;
  #window: MeasuredWindow = { startNs: Number.POSITIVE_INFINITY, endNs: 0 };
  readonly #heartbeat = new Heartbeat();
  readonly #readUsage: () => ThreadUsage;

  /** @param readUsage of the thread that it measures */
  constructor(readUsage: () => ThreadUsage = readThreadUsage) {
    this.#readUsage = readUsage;
  }

  /**
   * Takes a sample at both ends of the window, and a sign of life: to be called at least each 100 ms.
   *
   * @param uptimeNs of the machine, as {@link Heartbeat}
   * @returns true if the generator stood still since the last call
   */
  read(nowNs: number, window: MeasuredWindow, uptimeNs: number | null = null): boolean {
    this.#window = window;
    if (nowNs >= window.startNs) this.#start ??= this.#sample(nowNs);
    if (nowNs >= window.endNs) this.#end ??= this.#sample(nowNs);
    return this.#heartbeat.beat(nowNs, window, uptimeNs);
  }

  /** Takes a sign of life that is due each 10 ms, see {@link Heartbeat.tick}. */
  tick(nowNs: number, window: MeasuredWindow): void {
    this.#heartbeat.tick(nowNs, this.#readUsage().cpuNs, window);
  }

  /** Adds a time for which it was late, if that lies in the window. */
  holdUp(lateNs: number, nowNs: number, { startNs, endNs }: MeasuredWindow): void {
    if (nowNs >= startNs && nowNs < endNs) this.#heartbeat.heldUpNs += lateNs;
  }

  /** Usage since the last call, or since the start of the window. */
  lap(nowNs: number): GeneratorUsage {
    const before = this.#lap ?? this.#start;
    this.#lap = this.#sample(nowNs);
    return usageBetween(before, this.#lap);
  }

  /** Usage over the window, up to now where the window was cut short. */
  finish(nowNs: number): WholeUsage {
    this.#heartbeat.beat(nowNs, this.#window, null);
    const { stoodStillNs, lostNs, heldUpNs } = this.#heartbeat;
    const { startNs, endNs } = this.#window;
    const windowNs = Math.min(nowNs, endNs) - startNs;
    return {
      ...usageBetween(this.#start, this.#end ?? this.#sample(nowNs)),
      stoodStillMs: stoodStillNs / 1e6,
      lostMs: lostNs / 1e6,
      heldUp: windowNs > 0 ? heldUpNs / windowNs : 0,
    };
  }

  #sample(atNs: number): UsageSample {
    return { ...this.#readUsage(), atNs, spunNs: this.spunNs };
  }
}

/** Use of a thread between two readings. */
export function usageBetween(start: UsageSample | null, end: UsageSample): GeneratorUsage {
  if (start === null || end.atNs <= start.atNs) {
    return { cpu: null, coreWait: null, eventLoopUtilization: 0 };
  }
  const elapsedNs = end.atNs - start.atNs;
  const restedNs = (end.idleMs - start.idleMs) * 1e6 + (end.spunNs - start.spunNs);
  return {
    cpu: shareOfTime(start.cpuNs, end.cpuNs, elapsedNs),
    coreWait: shareWaited(start.coreWaitNs, end.coreWaitNs, elapsedNs),
    eventLoopUtilization: Math.min(1, Math.max(0, 1 - restedNs / elapsedNs)),
  };
}

/** Counters of the target's process since its start; the difference of two readings is its usage. */
export interface ServerReading extends Omit<ThreadUsage, 'coreWaitNs'> {
  /** Time of the reading, monotonic clock, nanoseconds. */
  atNs: number;
  /** Resident memory of the whole process. */
  rssBytes: number;
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
