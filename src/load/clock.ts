import { uptime } from 'node:os';
import type { ThreadUsage } from './record/usage.ts';

/** Clocks of a run. */
export interface LoadClock {
  /** Wall clock when the clock was made, and what has passed since, milliseconds since the epoch: it never jumps. */
  now(): number;
  /** A clock that never jumps and is the same for all threads, nanoseconds. */
  monotonicNs(): number;
  /** Time since the start of the machine, its suspensions included, nanoseconds; left out if it is unknown. */
  uptimeNs?(): number;
  /** Usage of the thread that calls; default: as the system reports it. */
  readonly threadUsage?: (() => ThreadUsage) | undefined;
}

/**
 * The clocks of the machine. `hrtime` in whole seconds and nanoseconds is the cheapest of Node's, a
 * third of `performance.now`, and its zero is the same for all threads.
 */
export function systemClock(): LoadClock {
  const monotonicNs = (): number => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e9 + nanoseconds;
  };
  const startMs = Date.now();
  const startNs = monotonicNs();
  return {
    now: () => startMs + Math.floor((monotonicNs() - startNs) / 1e6),
    monotonicNs,
    uptimeNs: () => uptime() * 1e9,
  };
}
