// The real one, also while a world has timers of its own.
import { setImmediate } from 'node:timers';
import type { RunClock } from './run-clock.ts';

/** Work that is due at a time. */
interface Due {
  /** Time since the start, ms. */
  readonly atMs: number;
  readonly act: () => void;
}

/**
 * Clock and order of events of a world in one process: time stands still while anything is left to do, and
 * then moves to the next event. Events of one time come in the order in which they were asked for, so that
 * the same program has the same history each time.
 */
export class WorldClock implements RunClock {
  readonly #startMs: number;
  #passedMs = 0;
  /** The next one last. */
  readonly #due: Due[] = [];
  #isTurning = false;

  /** @param startMs wall clock at the start, ms since the epoch */
  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  now(): number {
    return Math.floor(this.#startMs + this.#passedMs);
  }

  monotonicNs(): number {
    return 1e6 * this.#passedMs;
  }

  sleep(forMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const cancel = this.after(forMs, wake);
      const abort = (): void => {
        cancel();
        wake();
      };
      signal?.addEventListener('abort', abort);
    });
  }

  /** Calls a function once some ms have passed; returns what calls it off. */
  after(forMs: number, act: () => void): () => void {
    const due = { atMs: this.#passedMs + Math.max(0, forMs), act };
    this.#due.splice(this.#placeOf(due.atMs), 0, due);
    this.#turn();
    return () => {
      const at = this.#due.indexOf(due);
      if (at >= 0) this.#due.splice(at, 1);
    };
  }

  /** Place ahead of every event that is no later: those come first, and are at the end. */
  #placeOf(atMs: number): number {
    let [from, to] = [0, this.#due.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#due[middle]!.atMs > atMs) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** One event a turn of the event loop: before the next one, all that follows from it has been done. */
  #turn(): void {
    if (this.#isTurning || this.#due.length === 0) return;
    this.#isTurning = true;
    setImmediate(() => {
      this.#isTurning = false;
      const next = this.#due.pop();
      if (next === undefined) return;
      this.#passedMs = next.atMs;
      next.act();
      this.#turn();
    });
  }
}
