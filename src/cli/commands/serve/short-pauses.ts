import { setFlagsFromString } from 'node:v8';

/**
 * What the engine is told: to let the space of young objects stay as small as it starts, and to
 * collect it in the thread that serves. Collecting little, often and at once stalls 64 connections for
 * a fraction of a millisecond; the defaults let it grow until one collection takes several, and wait
 * for helper threads that a pinned process has no core for (docs/performance.md).
 */
const FLAGS = [
  '--semi-space-growth-factor=1',
  '--no-parallel-scavenge',
  '--no-concurrent-array-buffer-sweeping',
];

/** Has this process prefer short pauses to throughput of the garbage collector; for a process that only serves. */
export function preferShortPauses(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
