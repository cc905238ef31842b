import { FareproofError } from '../../../interface/errors.ts';
import type { Ledger } from '../budget/ledger.ts';

/** A clock on the wall may be set, or a machine sleep: it is looked at again as often as this. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Waits until the wall clock stands at a time.
 *
 * @param atMs milliseconds since the epoch
 * @throws FareproofError `INTERRUPTED` as soon as the signal aborts
 */
export async function sleepUntil(
  atMs: number,
  wall: () => number,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let leftMs = atMs - wall(); leftMs > 0; leftMs = atMs - wall()) {
    if (signal?.aborted) throw new FareproofError('INTERRUPTED', 'the run was interrupted');
    await nap(Math.min(leftMs, LOOK_AGAIN_MS), signal);
  }
}

function nap(forMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, forMs);
    signal?.addEventListener('abort', wake, { once: true });
  });
}

/** A run that stays longer than this keeps no other from its ledger meanwhile. */
const SHORT_MS = 5 * 60_000;

/** How often, at most, a ledger is asked for that another run holds; once a second. */
const ATTEMPTS = 600;

/** Waits, and gives the ledger free where that takes long. */
export async function sleepApart(
  atMs: number,
  wall: () => number,
  ledger: Ledger | undefined,
  sleep: (atMs: number) => Promise<void>,
): Promise<void> {
  if (!ledger || atMs - wall() < SHORT_MS) return sleep(atMs);
  ledger.close();
  try {
    await sleep(atMs);
  } finally {
    await regain(ledger, wall, sleep);
  }
}

async function regain(
  ledger: Ledger,
  wall: () => number,
  sleep: (atMs: number) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ledger.reopen();
    } catch (error) {
      const isInUse = error instanceof FareproofError && error.code === 'LEDGER_IN_USE';
      if (!isInUse || attempt === ATTEMPTS) throw error;
      await sleep(wall() + 1_000);
    }
  }
}
