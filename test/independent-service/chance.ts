import { SEED } from '../support/property.ts';

/**
 * Way in which one call of five is chosen. `spread`: one of each five in a row, at a place by chance, so
 * that no test fails because nothing was broken. `drawn`: each call by itself, as services do, where five
 * in a row without one are common (33 %) and twenty are not rare (1.2 %); for measurements.
 */
export type Fifths = 'spread' | 'drawn';

/** Chance of a service, from a seed; the product has another generator. */
export class Chance {
  readonly #fifths: Fifths;
  #state: number;
  /** Calls left of the five, and the one that is chosen. */
  #left = 0;
  #chosen = 0;

  /** @param seed an integer */
  constructor(seed: number = SEED, fifths: Fifths = 'spread') {
    this.#state = seed | 0;
    this.#fifths = fifths;
  }

  /** Draws a number of at least 0 and less than 1 (mulberry32). */
  draw(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Draws an integer of at least 0 and less than `count`. */
  drawBelow(count: number): number {
    return Math.floor(this.draw() * count);
  }

  /** Returns true in one call of five. */
  isFifth(): boolean {
    if (this.#fifths === 'drawn') return this.draw() < 0.2;
    if (this.#left === 0) {
      this.#left = 5;
      this.#chosen = 1 + this.drawBelow(5);
    }
    return this.#left-- === this.#chosen;
  }
}
