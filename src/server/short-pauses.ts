import { setFlagsFromString } from 'node:v8';

/**
 * Flags of V8: keep the young generation at its initial size, and collect it on the serving thread.
 * Small and frequent collections stall 64 connections for a fraction of a millisecond. By default the
 * young generation grows until one collection takes several, and waits for helper threads, for which
 * a pinned process has no core (bench/NOTES.md).
 */
const FLAGS = [
  '--semi-space-growth-factor=1',
  '--no-parallel-scavenge',
  '--no-concurrent-array-buffer-sweeping',
];

/** Tunes the garbage collector of this process for short pauses; for a process that only serves. */
export function preferShortPauses(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
