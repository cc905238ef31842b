import type { LoadClock } from '../../src/load/index.ts';
import { unhurriedClock } from './unhurried-clock.ts';

/** An {@link unhurriedClock} that can be stopped, so that nothing falls due until it runs again. */
export class PausableClock implements LoadClock {
  readonly #clock: LoadClock;
  #lostNs = 0;
  #pausedAtNs: number | null = null;
  #pauses = 0;

  constructor(machine: LoadClock) {
    this.#clock = unhurriedClock(machine);
  }

  now(): number {
    return Math.floor(this.#clock.now() - this.#lostNs / 1e6);
  }

  monotonicNs(): number {
    return (this.#pausedAtNs ?? this.#clock.monotonicNs()) - this.#lostNs;
  }

  pause(): void {
    this.#pauses++;
    this.#pausedAtNs ??= this.#clock.monotonicNs();
  }

  /** Runs again once every pause is over. */
  resume(): void {
    this.#pauses--;
    if (this.#pauses > 0 || this.#pausedAtNs === null) return;
    this.#lostNs += this.#clock.monotonicNs() - this.#pausedAtNs;
    this.#pausedAtNs = null;
  }
}
