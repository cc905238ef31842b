import type { ControlApi } from './control-api.ts';

/** How old a reading of the target's clock may grow before it is read again, in milliseconds. */
const STALE_AFTER_MS = 2_000;

/** Below this share of the wall's pace a clock is held for one that stands still. */
const STANDS_STILL = 0.2;

/**
 * The target's clock as far as it can be known: by its control API, or, without one, the wall
 * clock. All times are milliseconds since the epoch.
 */
export class TargetClock {
  readonly #wall: () => number;
  readonly #control: ControlApi | null;
  readonly #sleepUntil: (atMs: number) => Promise<void>;
  #read: { targetMs: number; wallMs: number } | null = null;
  #runs = true;

  /** @param sleepUntil waits until the wall clock stands at a time */
  constructor(
    wall: () => number,
    control: ControlApi | null,
    sleepUntil: (atMs: number) => Promise<void>,
  ) {
    this.#wall = wall;
    this.#control = control;
    this.#sleepUntil = sleepUntil;
  }

  /** Whether the clock can be moved. */
  get canMove(): boolean {
    return this.#control !== null;
  }

  /** The time at the target, as last read and carried on. */
  now(): number {
    if (!this.#read) return this.#wall();
    return this.#read.targetMs + (this.#runs ? this.#wall() - this.#read.wallMs : 0);
  }

  /** Reads the clock again where the last reading is old; without a control API there is nothing to read. */
  async refresh(): Promise<void> {
    if (!this.#control) return;
    if (this.#read && this.#wall() - this.#read.wallMs < STALE_AFTER_MS) return;
    await this.#advance(0);
  }

  /**
   * Moves the clock to `atMs` at least, or waits until it stands there where it cannot be moved;
   * returns where it stands.
   */
  async moveTo(atMs: number): Promise<number> {
    if (!this.#control) {
      await this.#sleepUntil(atMs);
      return this.now();
    }
    for (let attempt = 0; attempt < 3 && this.now() < atMs; attempt++) {
      await this.#advance(Math.ceil((atMs - this.now()) / 1000));
    }
    return this.now();
  }

  async #advance(seconds: number): Promise<void> {
    if (!this.#control) return;
    const before = this.#read;
    const targetMs = await this.#control.advanceClock(seconds);
    const wallMs = this.#wall();
    if (before && seconds === 0) {
      this.#runs = targetMs - before.targetMs > STANDS_STILL * (wallMs - before.wallMs);
    }
    this.#read = { targetMs, wallMs };
  }
}
