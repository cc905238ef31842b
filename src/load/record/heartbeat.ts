import type { MeasuredWindow } from './recorder.ts';

/** Longest time between two beats of a process that runs, nanoseconds. */
const LONGEST_GAP_NS = 250e6;

/**
 * Tells for how long a process stood still: it was stopped, or got no core at all, or its machine was suspended,
 * during which the monotonic clock stands still too, and the uptime does not.
 */
export class Heartbeat {
  /** Time of all standstills since the start of the window, nanoseconds. */
  stoodStillNs = 0;
  /** The part of it that lies in the window, by the monotonic clock. */
  lostNs = 0;
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
}
