import { type ControlApi, controlFailed } from './control-api.ts';

/** Age at which a reading of the target's clock is too old to be used, in ms. */
const STALE_AFTER_MS = 2_000;

/** Share of the wall clock's rate below which a clock is taken to stand still. */
const STANDS_STILL = 0.2;

/** Times that the clock is asked to move to one time. */
const MOST_MOVES = 3;

/** Waits until the wall clock stands at a time that rules need. */
export type SleepUntil = (atMs: number, rules: readonly string[]) => Promise<void>;

/**
 * Clock of the target: read by its control API, or the wall clock where there is none. All times are
 * in ms since the epoch.
 */
export class TargetClock {
  readonly #wall: () => number;
  readonly #control: ControlApi | null;
  readonly #sleepUntil: SleepUntil;
  #read: { targetMs: number; wallMs: number } | null = null;
  #runs = true;
  #wasMoved = false;
  #leftAtMs: number | null = null;

  constructor(wall: () => number, control: ControlApi | null, sleepUntil: SleepUntil) {
    this.#wall = wall;
    this.#control = control;
    this.#sleepUntil = sleepUntil;
  }

  /** Target's time, extrapolated from the last reading. */
  now(): number {
    if (!this.#read) return this.#wall();
    return this.#read.targetMs + (this.#runs ? this.#wall() - this.#read.wallMs : 0);
  }

  /** Reads the clock again where the last reading is too old. */
  async refresh(): Promise<void> {
    if (this.#read && this.#wall() - this.#read.wallMs < STALE_AFTER_MS) return;
    await this.#advance(0);
  }

  /**
   * Moves the clock to `atMs` or later; where there is no control API, waits until then. Returns its
   * time.
   *
   * @param rules ids of the rules that need that time
   * @throws FareproofError `CONTROL_FAILED` if it does not get there: every verdict would rest on a time
   *   that is not the target's
   */
  async moveTo(atMs: number, rules: readonly string[] = []): Promise<number> {
    if (!this.#control) {
      await this.#sleepUntil(atMs, rules);
      return this.now();
    }
    for (let attempt = 0; attempt < MOST_MOVES && this.now() < atMs; attempt++) {
      await this.#advance(Math.ceil((atMs - this.now()) / 1000));
    }
    const now = this.now();
    if (now >= atMs) return now;
    const [asked, stands] = [atMs, now].map((time) => new Date(time).toISOString());
    throw controlFailed(
      `POST /clock was asked ${MOST_MOVES} times to move the clock to ${asked}, and answers that it stands at ${stands}`,
    );
  }

  /** Time at which the clock was left because the target cannot reset it; null if it was not moved. */
  get leftAtMs(): number | null {
    return this.#leftAtMs;
  }

  /** Sets the clock back to the target's true time, if it was moved. */
  async reset(): Promise<void> {
    if (!this.#control || !this.#wasMoved) return;
    const before = this.now();
    const targetMs = await this.#control.resetClock();
    const isReset = targetMs !== null && targetMs < before;
    if (isReset) this.#read = { targetMs, wallMs: this.#wall() };
    this.#wasMoved = !isReset;
    this.#leftAtMs = isReset ? null : before;
  }

  async #advance(seconds: number): Promise<void> {
    if (!this.#control) return;
    // Before the answer: a move that is not answered may have been made.
    if (seconds > 0) this.#wasMoved = true;
    const before = this.#read;
    const askedMs = this.now();
    const readMs = await this.#control.advanceClock(seconds);
    const wallMs = this.#wall();
    if (before && seconds === 0) {
      this.#runs = readMs - before.targetMs > STANDS_STILL * (wallMs - before.wallMs);
    }
    // An answer that came late would set the clock back by as much, between two requests.
    const agrees = before && askedMs <= readMs && readMs <= this.now();
    this.#read = { targetMs: agrees ? this.now() : readMs, wallMs };
  }
}
