import { readThreadUsage, shareOfTime, type ThreadUsage } from '../record/thread-usage.ts';
import type { GeneratorUsage } from './generator-report.ts';

interface UsageSample extends ThreadUsage {
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

  /** Takes a sample; to be called at least at both ends of the window, and as often as one likes. */
  read(nowNs: number, window: { startNs: number; endNs: number }): void {
    if (nowNs >= window.startNs) this.#start ??= this.#sample(nowNs);
    if (nowNs >= window.endNs) this.#end ??= this.#sample(nowNs);
  }

  /** Usage since the last call, or since the start of the window. */
  lap(nowNs: number): GeneratorUsage {
    const before = this.#lap ?? this.#start;
    this.#lap = this.#sample(nowNs);
    return usageBetween(before, this.#lap);
  }

  /** Usage over the window, up to now where the window was cut short. */
  finish(nowNs: number): GeneratorUsage {
    return usageBetween(this.#start, this.#end ?? this.#sample(nowNs));
  }

  #sample(atNs: number): UsageSample {
    return { ...readThreadUsage(), atNs, spunNs: this.spunNs };
  }
}

function usageBetween(start: UsageSample | null, end: UsageSample): GeneratorUsage {
  if (start === null || end.atNs <= start.atNs) {
    return { cpu: null, coreWait: null, eventLoopUtilization: 0 };
  }
  const elapsedNs = end.atNs - start.atNs;
  const restedNs = (end.idleMs - start.idleMs) * 1e6 + (end.spunNs - start.spunNs);
  return {
    cpu: shareOfTime(start.cpuNs, end.cpuNs, elapsedNs),
    coreWait: shareOfTime(start.coreWaitNs, end.coreWaitNs, elapsedNs),
    eventLoopUtilization: Math.min(1, Math.max(0, 1 - restedNs / elapsedNs)),
  };
}
