/** The clock of a server. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The machine's own time. */
export const wallClock: Clock = { now: () => Date.now() };

/** A clock that runs with another and can be moved forward (README, "The reference server"). */
export class MovableClock implements Clock {
  readonly #base: Clock;
  #offsetMs = 0;

  constructor(base: Clock = wallClock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now() + this.#offsetMs;
  }

  /** Moves this clock forward. */
  advance(seconds: number): void {
    this.#offsetMs += Math.round(seconds * 1000);
  }
}
