import type { LoadClock } from '../../src/load/index.ts';

/** Longer than any sleep of a generator, so that every moment counts on a machine that keeps up. */
const LONGEST_STEP_NS = 60e6;

/**
 * The clock of a machine that never stalls: the time between two readings counts as at most 60 ms.
 * Schedules, timeouts and latencies by it do not depend on pauses of the machine.
 */
export function unhurriedClock(machine: LoadClock): LoadClock {
  let readNs = machine.monotonicNs();
  let nowNs = readNs;
  const zeroMs = machine.now() - nowNs / 1e6;
  const monotonicNs = (): number => {
    const atNs = machine.monotonicNs();
    nowNs += Math.min(atNs - readNs, LONGEST_STEP_NS);
    readNs = atNs;
    return nowNs;
  };
  return { now: () => Math.floor(zeroMs + monotonicNs() / 1e6), monotonicNs };
}
