import { setImmediate, setTimeout } from 'node:timers/promises';

/** Clock that a run reads and waits by. */
export interface RunClock {
  /** Wall clock, ms since the epoch. */
  now(): number;
  /** A clock that never jumps, ns. */
  monotonicNs(): number;
  /** Lets some ms pass; fewer once the signal aborts. */
  sleep(forMs: number, signal?: AbortSignal): Promise<void>;
}

/** Clock of the machine. */
export const MACHINE_CLOCK: RunClock = {
  now: () => Date.now(),
  monotonicNs: () => 1e6 * performance.now(),
  // Rejects on abort: the next request reports it.
  sleep: (forMs, signal) =>
    setTimeout(forMs, undefined, signal ? { signal } : {}).catch(() => undefined),
};

/**
 * A clock that runs with another one, and that sleeps move on instead of taking time; those at the same
 * time overlap.
 */
export function movingClock(base: RunClock = MACHINE_CLOCK): RunClock {
  let passedMs = 0;
  const monotonicNs = (): number => base.monotonicNs() + 1e6 * passedMs;
  return {
    now: () => base.now() + passedMs,
    monotonicNs,
    async sleep(forMs) {
      const endNs = monotonicNs() + 1e6 * forMs;
      await setImmediate();
      passedMs += Math.max(0, endNs - monotonicNs()) / 1e6;
    },
  };
}
