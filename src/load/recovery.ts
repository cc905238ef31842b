import { setTimeout as sleep } from 'node:timers/promises';

/** Pause before an invalid run is repeated, and what ends it early. */
export interface Recovery {
  /** Pause after an invalid run, milliseconds, times their number in a row; default 1 s. */
  recoveryMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

const DEFAULT_RECOVERY_MS = 1000;
const LONGEST_RECOVERY_MS = 5000;

/**
 * Waits so that what disturbed the machine may pass: longer after each invalid run in a row, at most
 * 5 s. An aborted signal ends the wait.
 *
 * @param inARow number of invalid runs since the last valid one
 */
export async function recover(inARow: number, { recoveryMs, signal }: Recovery): Promise<void> {
  if (inARow === 0) return;
  const pauseMs = Math.min(inARow * (recoveryMs ?? DEFAULT_RECOVERY_MS), LONGEST_RECOVERY_MS);
  await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
}
