/** Time between two looks at the clock. */
const BEAT_MS = 20;
/** Lateness of a timer on an idle machine. */
const JITTER_MS = 5;
/** Stalls that are kept: those of a run, or the latest ones while listening. */
const MAX_STALLS = 2000;

/** Times in which a process was held up. */
export type Stalls = Pick<StallWatch, 'delayAt' | 'longestIn'>;

/** A time in which this process ran no callbacks. */
interface Stall {
  readonly fromMs: number;
  /** End of the turn of the event loop in which it was noticed; infinite during that turn. */
  toMs: number;
}

/**
 * Measures how long requests to this process may have waited: while its event loop does not turn, nothing
 * is accepted and nothing is read, and what arrives is noted too late.
 */
export class StallWatch {
  readonly #now: () => number;
  readonly #stalls: Stall[] = [];
  #dueMs = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param now the clock that notes the arrival of requests, ms since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Starts to watch; does not keep the process running. */
  start(): void {
    this.#dueMs = this.#now() + BEAT_MS;
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  /** Stops to watch; what was measured is kept. */
  stop(): void {
    if (this.#timer === null) return;
    this.#beat();
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Longest time that a request may have waited that was noted at a time, both in ms. */
  delayAt = (notedMs: number): number => {
    const stall = this.#stalls.findLast(({ fromMs, toMs }) => fromMs < notedMs && notedMs <= toMs);
    if (stall !== undefined) return notedMs - stall.fromMs;
    return this.#timer === null ? 0 : Math.max(0, notedMs - this.#dueMs);
  };

  /** Longest stall that began in a span of time, in ms. */
  longestIn = (sinceMs: number, untilMs: number): number => {
    const within = this.#stalls.filter(({ fromMs }) => sinceMs <= fromMs && fromMs < untilMs);
    return Math.max(0, ...within.map(({ fromMs, toMs }) => Math.min(toMs, untilMs) - fromMs));
  };

  #beat(): void {
    const nowMs = this.#now();
    if (nowMs - this.#dueMs > JITTER_MS) {
      const stall: Stall = { fromMs: this.#dueMs, toMs: Number.POSITIVE_INFINITY };
      this.#stalls.push(stall);
      if (this.#stalls.length > MAX_STALLS) this.#stalls.shift();
      // Timers may run before the bytes that came meanwhile are read, which happens in the same turn.
      setImmediate(() => {
        stall.toMs = this.#now();
      });
    }
    this.#dueMs = nowMs + BEAT_MS;
  }
}
