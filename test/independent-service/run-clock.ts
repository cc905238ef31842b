import { setImmediate } from 'node:timers/promises';
import { middayNow } from './midday.ts';

/** Clock of a service and of the run that judges it. */
export interface RunClock {
  /** Wall clock, ms since the epoch. */
  readonly wall: () => number;
  /** Monotonic clock, ms. */
  readonly monotonic: () => number;
  /** Moves both clocks on, so that a pause takes no time; pauses at the same time overlap. */
  readonly pause: (forMs: number) => Promise<void>;
}

/** A clock of tests that starts at {@link middayNow}, and runs by itself too. */
export function runClock(): RunClock {
  let passedMs = 0;
  const monotonic = (): number => performance.now() + passedMs;
  return {
    wall: () => middayNow() + passedMs,
    monotonic,
    async pause(forMs) {
      const endMs = monotonic() + forMs;
      await setImmediate();
      passedMs += Math.max(0, endMs - monotonic());
    },
  };
}
