import type { LoadClock } from '../../src/load/index.ts';

/** More than a generator ever sleeps, so that on a machine that keeps up every moment counts. */
const LONGEST_STEP_NS = 60e6;

/**
 * The clock of a machine that never stalls: what passes between two readings counts for 60 ms at
 * most. A schedule, a timeout and a latency by it are the same however long the machine stands still.
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
