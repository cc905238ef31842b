import { uptime } from 'node:os';
import { setImmediate, setTimeout } from 'node:timers/promises';

import { type Clocks, type SteadyClock, steadyClock } from '../steady-clock.ts';

/** Clocks that a run reads and waits by. */
export interface RunClock extends Clocks {
  /** Lets some ms pass; fewer once the signal aborts. */
  sleep(forMs: number, signal?: AbortSignal): Promise<void>;
}

/** Clock of a run, whose time of day never jumps. */
export type SteadyRunClock = RunClock & SteadyClock;

/** Makes the clock of a run out of those of a machine. */
export function steadyRunClock(machine: RunClock): SteadyRunClock {
  return {
    ...steadyClock(machine),
    monotonicNs: () => machine.monotonicNs(),
    sleep: (forMs, signal) => machine.sleep(forMs, signal),
  };
}

/** Clocks of the machine. */
export const MACHINE_CLOCK: RunClock = {
  now: () => Date.now(),
  monotonicNs: () => 1e6 * performance.now(),
  uptimeMs: () => 1e3 * uptime(),
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
