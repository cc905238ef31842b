import type { RunClock } from '../../src/conformance/index.ts';
import type { WorldClock } from '../../src/conformance/service/world-clock.ts';
import type { Fault, Side } from './plan.ts';

interface Suspension {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Clocks of one side, which are off, drift, step, and stand still. */
export class SideClock implements RunClock {
  readonly #world: WorldClock;
  readonly #side: Side;
  readonly #startMs: number;
  readonly #faults: readonly Fault[];
  /** Time by which the wall clock is off, ms. */
  #offMs = 0;
  #pace = 1;
  readonly #suspensions: Suspension[] = [];
  /** Number of steps and standstills that came. */
  changes = 0;

  constructor(world: WorldClock, side: Side, faults: readonly Fault[]) {
    this.#world = world;
    this.#side = side;
    this.#startMs = world.now();
    this.#faults = faults;
    for (const fault of faults) {
      if (fault.kind === 'offset' && fault.of === side) this.#offMs += fault.byMs;
      if (fault.kind === 'drift' && fault.of === side) this.#pace += fault.ppm / 1e6;
    }
  }

  get #passedMs(): number {
    return this.#world.monotonicNs() / 1e6;
  }

  /** Time in which this side was suspended, ms. */
  get #suspendedMs(): number {
    const now = this.#passedMs;
    const past = this.#suspensions.map(({ fromMs, toMs }) => Math.min(now, toMs) - fromMs);
    return past.reduce((sum, ms) => sum + ms, 0);
  }

  now(): number {
    // A service that was suspended is behind from then on; the wall clock of a machine is set as it wakes.
    const missedMs = this.#side === 'service' ? this.#suspendedMs : 0;
    return Math.floor(this.#startMs + this.#offMs + (this.#passedMs - missedMs) * this.#pace);
  }

  monotonicNs(): number {
    return 1e6 * (this.#passedMs - this.#suspendedMs) * this.#pace;
  }

  uptimeMs(): number {
    return this.#passedMs * this.#pace;
  }

  async sleep(forMs: number, signal?: AbortSignal): Promise<void> {
    await this.#world.sleep(forMs / this.#pace, signal);
    await this.awake();
  }

  /** Waits while this side is suspended. */
  async awake(): Promise<void> {
    const now = this.#passedMs;
    const over = this.#suspensions.find(({ fromMs, toMs }) => now >= fromMs && now < toMs);
    if (over) await this.#world.sleep(over.toMs - now);
  }

  /** Changes the clock as the request of that number arrives. */
  arrive(number: number): void {
    for (const fault of this.#faults) {
      if (!('at' in fault && 'of' in fault) || fault.of !== this.#side || fault.at !== number)
        continue;
      this.changes++;
      const fromMs = this.#passedMs;
      if (fault.kind === 'step') this.#offMs += fault.byMs;
      else this.#suspensions.push({ fromMs, toMs: fromMs + fault.forMs });
    }
  }
}
