/** Clocks of a machine. */
export interface Clocks {
  /** Wall clock, ms since the epoch: it is set, and then jumps. */
  now(): number;
  /** A clock that never jumps, ns; it may stand still while the machine is suspended. */
  monotonicNs(): number;
  /** Time since the machine was started, ms, with that in which it was suspended; left out where unknown. */
  uptimeMs?(): number;
}

/** A time of day that never jumps. */
export interface SteadyClock {
  /** Wall clock at the start, and what has passed since, ms since the epoch. */
  readonly now: () => number;
  /** Times in which the wall clock was set, or the machine was suspended. */
  readonly steps: ClockSteps;
}

/** Change of the difference between two clocks from which on one of them was set or stood still, ms. */
const APART_MS = 1_500;

/** Changes that are kept: those of a run, or the latest ones of a long one. */
const MOST_STEPS = 1_000;

/** A time in which the difference between two clocks changed, ms. */
export interface ClockStep {
  readonly fromMs: number;
  readonly toMs: number;
  readonly byMs: number;
}

/** Times in which the difference between two clocks changed: what was measured by one of them is in doubt. */
export class ClockSteps {
  readonly #steps: ClockStep[] = [];
  readonly #look: () => void;
  readonly #setByMs: () => number;

  /**
   * @param look called before anything is read: notes a step until then
   * @param setByMs by how much the wall clock has been set since the start, ms
   */
  constructor(look: () => void = () => undefined, setByMs: () => number = () => 0) {
    this.#look = look;
    this.#setByMs = setByMs;
  }

  /** Time by which the wall clock has been set since the start, ms; 0 for a little. */
  get setByMs(): number {
    this.#look();
    const byMs = this.#setByMs();
    return Math.abs(byMs) < APART_MS ? 0 : Math.round(byMs);
  }

  /** Notes by how much one clock left the other between two moments; a little means nothing. */
  note(step: ClockStep): void {
    if (Math.abs(step.byMs) < APART_MS) return;
    this.#steps.push(step);
    if (this.#steps.length > MOST_STEPS) this.#steps.shift();
  }

  /** The first step within a span of time, or within a part of it, ms; undefined for none. */
  within(fromMs: number, toMs: number = Number.POSITIVE_INFINITY): ClockStep | undefined {
    this.#look();
    return this.#steps.find((step) => step.toMs > fromMs && step.fromMs < toMs);
  }
}

/**
 * Makes a clock that continues from the wall clock's time, whatever that one is set to. The time of a suspended
 * machine passes as well, where the machine counts it.
 */
export function steadyClock(clocks: Clocks): SteadyClock {
  const startMs = clocks.now();
  const startNs = clocks.monotonicNs();
  const startUptimeMs = clocks.uptimeMs?.() ?? 0;
  let suspendedMs = 0;
  let agreed = { atMs: startMs, apartMs: 0 };
  const look = (): number => {
    const passedMs = (clocks.monotonicNs() - startNs) / 1e6;
    const apartMs = clocks.now() - startMs - passedMs;
    const byMs = apartMs - agreed.apartMs;
    // Reading the uptime takes longer, and a suspension moves the wall clock as well.
    if (Math.abs(byMs) >= APART_MS && clocks.uptimeMs) {
      const missedMs = clocks.uptimeMs() - startUptimeMs - passedMs - suspendedMs;
      if (missedMs >= APART_MS) suspendedMs += missedMs;
    }
    const nowMs = Math.floor(startMs + passedMs + suspendedMs);
    steps.note({ fromMs: agreed.atMs, toMs: nowMs, byMs });
    agreed = { atMs: nowMs, apartMs };
    return nowMs;
  };
  const steps = new ClockSteps(look, () => agreed.apartMs - suspendedMs);
  return { now: look, steps };
}
