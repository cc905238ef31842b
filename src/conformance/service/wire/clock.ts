import type { Exchange } from '../../../documents/sealed.ts';
import { type ClockStep, ClockSteps, type SteadyClock } from '../../steady-clock.ts';
import type { LoggedExchange } from '../resume/run-log.ts';
import { type ControlApi, controlFailed } from './control-api.ts';

/** Age at which a reading of the target's clock is too old to be used, in ms. */
const STALE_AFTER_MS = 2_000;

/** Share of this machine's rate below which a clock is taken to stand still. */
const STANDS_STILL = 0.2;

/** Least move of a clock, ms: by whole seconds. */
const LEAST_MOVE_MS = 1_000;

/** Least time by which a target's clock was set where its answers' Date shows it, ms: replicas differ a little. */
const DATE_SET_MS = 10_000;

/** Rate by which clocks that were not set may leave each other, in parts of a million. */
const DRIFT_PPM = 200;

/** Times that Dates show a set clock, at most: replicas may differ by more. */
const MOST_DATE_STEPS = 3;

/** Times that the clock is asked to move to one time: of replicas, each answer may be behind the one before. */
const MOST_MOVES = 10;

/** Waits until this machine's clock stands at a time that rules need. */
export type SleepUntil = (atMs: number, rules: readonly string[]) => Promise<void>;

/**
 * Clock of the target: read by its control API, or this machine's where there is none. All times are
 * in ms since the epoch.
 */
export class TargetClock {
  readonly #machine: SteadyClock;
  readonly #steps = new ClockSteps();
  readonly #control: ControlApi | null;
  readonly #sleepUntil: SleepUntil;
  #read: { targetMs: number; machineMs: number } | null = null;
  #runs = true;
  #wasMoved = false;
  #leftAtMs: number | null = null;
  /** Date of the last answer, and by how much it is ahead of this machine's clock, ms. */
  #date: { text: string; leastMs: number; mostMs: number; machineMs: number } | null = null;
  #dateSteps = 0;

  constructor(machine: SteadyClock, control: ControlApi | null, sleepUntil: SleepUntil) {
    this.#machine = machine;
    this.#control = control;
    this.#sleepUntil = sleepUntil;
  }

  /** Target's time, extrapolated from the last reading. */
  now(): number {
    return this.#timeAt(this.machineNow());
  }

  #timeAt(machineMs: number): number {
    if (!this.#read) return machineMs;
    return this.#read.targetMs + (this.#runs ? machineMs - this.#read.machineMs : 0);
  }

  /** This machine's time, by which steps are told. */
  machineNow(): number {
    return this.#machine.now();
  }

  /** Reads the clock again where the last reading is too old. */
  async refresh(): Promise<void> {
    if (this.#read && this.machineNow() - this.#read.machineMs < STALE_AFTER_MS) return;
    await this.#advance(0);
  }

  /**
   * Reads the clock, and tells whether it was set since a moment of this machine, or this machine's was, or this
   * machine was suspended; undefined if not. Moves by this client are none of these.
   */
  async stepSince(machineMs: number): Promise<ClockStep | undefined> {
    // A control API that fails ends the run by the next request.
    await this.#advance(0).catch(() => undefined);
    return this.#machine.steps.within(machineMs) ?? this.#steps.within(machineMs);
  }

  /** Takes over what an earlier part of the run saw: the clock may have been set then, or since. */
  continue(answered: readonly LoggedExchange<Exchange>[]): void {
    for (const { exchange, sentAtMs, answeredAtMs } of answered)
      this.seeDate(exchange.response?.headers['date'], sentAtMs, answeredAtMs);
  }

  /**
   * Notes a step of the target's clock that the Date of an answer shows, where no control API tells its time. A Date
   * that stands still is none.
   */
  seeDate(text: string | undefined, sentMs: number, machineMs: number = this.machineNow()): void {
    const dateMs = Date.parse(text ?? '');
    const before = this.#date;
    if (this.#control || text === undefined || Number.isNaN(dateMs) || text === before?.text)
      return;
    const [leastMs, mostMs] = [dateMs - machineMs, dateMs + 1_000 - sentMs];
    this.#date = { text, leastMs, mostMs, machineMs };
    if (!before || this.#dateSteps === MOST_DATE_STEPS) return;
    const byMs = Math.min(0, mostMs - before.leastMs) + Math.max(0, leastMs - before.mostMs);
    const driftMs = ((machineMs - before.machineMs) * DRIFT_PPM) / 1e6;
    if (Math.abs(byMs) < DATE_SET_MS + driftMs) return;
    this.#dateSteps++;
    this.#steps.note({ fromMs: before.machineMs, toMs: machineMs, byMs });
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
    // What the clock was set to before it is moved cannot be told afterwards.
    if (this.now() < atMs && this.#read?.machineMs !== this.machineNow()) await this.#advance(0);
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
    const isReset = targetMs !== null && targetMs < before - LEAST_MOVE_MS / 2;
    if (isReset) this.#read = { targetMs, machineMs: this.machineNow() };
    this.#wasMoved = !isReset;
    this.#leftAtMs = isReset ? null : (targetMs ?? before);
  }

  async #advance(seconds: number): Promise<void> {
    if (!this.#control) return;
    // Before the answer: a move that is not answered may have been made.
    if (seconds > 0) this.#wasMoved = true;
    const before = this.#read;
    const askedMachineMs = this.machineNow();
    const readMs = await this.#control.advanceClock(seconds);
    const machineMs = this.machineNow();
    if (!before) {
      this.#read = { targetMs: readMs, machineMs };
      return;
    }
    const ageMs = machineMs - before.machineMs;
    const passedMs = readMs - before.targetMs;
    if (seconds === 0 && ageMs >= STALE_AFTER_MS)
      this.#runs = passedMs < 0 || passedMs > STANDS_STILL * ageMs;
    const [earliestMs, latestMs] = [this.#timeAt(askedMachineMs), this.#timeAt(machineMs)];
    const byMs = Math.min(0, readMs - earliestMs) + Math.max(0, readMs - latestMs);
    if (seconds === 0) this.#steps.note({ fromMs: before.machineMs, toMs: machineMs, byMs });
    // An answer that came late would set the clock back by as much, between two requests.
    if (byMs !== 0) this.#read = { targetMs: readMs, machineMs };
    else if (ageMs >= STALE_AFTER_MS) this.#read = { targetMs: latestMs, machineMs };
  }
}
