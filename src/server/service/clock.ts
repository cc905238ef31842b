/** The clock of a server. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Lets some ms pass; left out, of the machine's time. */
  sleep?(forMs: number): Promise<void>;
}

/** The machine's own time. */
export const wallClock: Clock = { now: () => Date.now() };

/**
 * Latest time to which a clock can be moved, in milliseconds since the epoch: a year before ISO 8601
 * needs more than four digits. It is 7,000 advances of 400 days away.
 */
export const LATEST_MS: number = Date.UTC(9999, 0, 1);

/** A clock that runs with another and can be moved forward, and back to it (docs/reference.md). */
export class MovableClock implements Clock {
  /** Called with the new offset each time it is moved; for a clock that follows this one. */
  onMove: ((offsetMs: number) => void) | null = null;
  readonly #base: Clock;
  #offsetMs = 0;

  constructor(base: Clock = wallClock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now() + this.#offsetMs;
  }

  /** Checks whether the clock stays within {@link LATEST_MS}; 0 seconds are always possible. */
  canAdvance(seconds: number): boolean {
    return seconds === 0 || (seconds > 0 && this.now() + seconds * 1000 <= LATEST_MS);
  }

  /**
   * Moves this clock forward.
   *
   * @throws RangeError for a negative number of seconds, and beyond {@link LATEST_MS}
   */
  advance(seconds: number): void {
    if (!this.canAdvance(seconds)) {
      throw new RangeError(`the clock cannot be moved by ${seconds} seconds`);
    }
    this.#moveTo(this.#offsetMs + Math.round(seconds * 1000));
  }

  /** Moves this clock back to the clock that it runs with. Tokens, counts and bans keep their times. */
  reset(): void {
    this.#moveTo(0);
  }

  /** Time by which it is ahead of the clock that it runs with, in milliseconds. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Moves this clock to an offset of another one that runs with the same clock. */
  follow(offsetMs: number): void {
    this.#moveTo(offsetMs);
  }

  #moveTo(offsetMs: number): void {
    this.#offsetMs = offsetMs;
    this.onMove?.(offsetMs);
  }
}
