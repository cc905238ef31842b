import type { MeasuredWindow } from './recorder.ts';

/** Longest time between two beats of a process that runs, nanoseconds. */
const LONGEST_GAP_NS = 250e6;
/** Time between two ticks, nanoseconds, and the least by which one is late that says anything. */
export const TICK_NS = 10e6;
const LATE_NS = 10e6;

/**
 * Tells for how long a process stood still: it was stopped, or got no core at all, or its machine was suspended,
 * during which the monotonic clock stands still too, and the uptime does not.
 */
export class Heartbeat {
  /** Time of all standstills since the start of the window, nanoseconds. */
  stoodStillNs = 0;
  /** The part of it that lies in the window, by the monotonic clock. */
  lostNs = 0;
  /** Time of the window in which ticks were late and the thread used no core, nanoseconds. */
  heldUpNs = 0;
  #tick: { readonly atNs: number; readonly cpuNs: number } | null = null;
  #atNs: number | null = null;
  #uptimeNs: number | null = null;

  /**
   * Takes a sign of life; to be given at least each 100 ms.
   *
   * @param nowNs monotonic clock
   * @param uptimeNs of the machine, its suspensions included; null if it is unknown
   * @returns true if the process stood still since the last one
   */
  beat(nowNs: number, { startNs, endNs }: MeasuredWindow, uptimeNs: number | null): boolean {
    const beforeNs = this.#atNs ?? nowNs;
    const fromNs = Math.max(beforeNs, startNs);
    const upNs = (uptimeNs ?? 0) - (this.#uptimeNs ?? uptimeNs ?? 0);
    const suspendedNs = upNs - (nowNs - beforeNs);
    const isStill = nowNs - fromNs > LONGEST_GAP_NS;
    const isSuspended = nowNs >= startNs && suspendedNs > LONGEST_GAP_NS;
    if (isStill) {
      this.stoodStillNs += nowNs - fromNs;
      this.lostNs += Math.max(0, Math.min(nowNs, endNs) - fromNs);
    }
    if (isSuspended) this.stoodStillNs += suspendedNs;
    this.#atNs = nowNs;
    this.#uptimeNs = uptimeNs;
    return isStill || isSuspended;
  }

  /**
   * Takes a sign of life that is due each {@link TICK_NS}: many short stops are as bad as a long one, and a thread
   * that is stopped waits for no core.
   *
   * @param cpuNs time of the thread on a core; null if it is unknown, and then nothing is measured
   */
  tick(nowNs: number, cpuNs: number | null, { startNs, endNs }: MeasuredWindow): void {
    const before = this.#tick;
    this.#tick = cpuNs === null ? null : { atNs: nowNs, cpuNs };
    if (before === null || cpuNs === null || before.atNs < startNs || nowNs > endNs) return;
    const lateNs = nowNs - before.atNs - TICK_NS;
    if (lateNs >= LATE_NS) this.heldUpNs += Math.max(0, lateNs - (cpuNs - before.cpuNs));
  }
}
