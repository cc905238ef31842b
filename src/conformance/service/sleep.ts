import { FareproofError } from '../../interface/errors.ts';
import type { Ledger } from '../../spending/index.ts';
import type { RunClock } from './run-clock.ts';
import type { Pause } from './wire/rate-limit.ts';

/** Longest timer: the wall clock may be set, or the machine suspended, while it runs. */
const LONGEST_TIMER_MS = 30_000;

/** Time between two calls of a listener. */
const TICK_MS = 1_000;

/**
 * Called about once a second while a run waits, with the time until which it waits and the wall clock, ms, and
 * the ids of the rules that need that time; none where a rate limit has to pass.
 */
export type OnWait = (untilMs: number, nowMs: number, rules: readonly string[]) => void;

/** Clock and listeners of a wait. */
export interface Waiting {
  readonly clock: RunClock;
  readonly signal?: AbortSignal | undefined;
  readonly onWait?: OnWait | undefined;
}

/**
 * Waits until the wall clock stands at a time.
 *
 * @param atMs milliseconds since the epoch
 * @throws FareproofError `INTERRUPTED` as soon as the signal aborts
 */
export async function sleepUntil(
  atMs: number,
  { clock, signal, onWait }: Waiting,
  rules: readonly string[] = [],
): Promise<void> {
  const longestMs = onWait ? TICK_MS : LONGEST_TIMER_MS;
  for (let nowMs = clock.now(); nowMs < atMs; nowMs = clock.now()) {
    if (signal?.aborted) throw new FareproofError('INTERRUPTED', 'the run was interrupted');
    onWait?.(atMs, nowMs, rules);
    await clock.sleep(Math.min(atMs - nowMs, longestMs), signal);
  }
}

/** Shortest pause that a listener is told of, in ms. */
const SHOWN_MS = 60_000;

/** Pauses, each at most until the signal aborts, and tells a listener of long ones; of several at once, of the first. */
export function shownPause(waiting: Waiting): Pause {
  const { clock, signal, onWait } = waiting;
  let isShown = false;
  return async (forMs) => {
    if (!onWait || isShown || forMs < SHOWN_MS) return clock.sleep(forMs, signal);
    isShown = true;
    // Rejects on abort: the next request reports it.
    await sleepUntil(clock.now() + forMs, waiting).catch(() => undefined);
    isShown = false;
  };
}

/** Longest wait during which the ledger stays locked. */
const LOCKED_MS = 5 * 60_000;

/** Attempts, one a second, to lock a ledger that another run has. */
const ATTEMPTS = 600;

/** Waits, and releases the ledger to other runs where that takes long. */
export async function sleepWithoutLedger(
  atMs: number,
  wall: () => number,
  ledger: Ledger | undefined,
  sleep: (atMs: number) => Promise<void>,
): Promise<void> {
  if (!ledger || atMs - wall() < LOCKED_MS) return sleep(atMs);
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
