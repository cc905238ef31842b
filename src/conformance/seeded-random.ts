import { LIMITS } from '../interface/limits.ts';

const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALPHANUMERIC = DIGITS + UPPER + LOWER;

/** Seeded random numbers and texts, so that a run can be repeated. */
export class SeededRandom {
  #state: number;
  readonly #nostrs = new Set<unknown>();

  /** @param seed any integer */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Number from 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** Digits and letters. */
  text(length: number, alphabet: string = ALPHANUMERIC): string {
    let text = '';
    for (let at = 0; at < length; at++) text += alphabet[Math.floor(this.next() * alphabet.length)];
    return text;
  }

  /** Lower-case hex digits. */
  hex(length: number): string {
    return this.text(length, '0123456789abcdef');
  }

  /**
   * Text of a nostr's alphabet, with a digit and letters of both cases where its length allows, so
   * that it covers the whole alphabet.
   */
  nostr(length: number = LIMITS.nostrLength): string {
    const classes = [UPPER, LOWER, DIGITS].slice(0, length);
    const nostr =
      classes.map((alphabet) => this.text(1, alphabet)).join('') +
      this.text(length - classes.length);
    if (length === LIMITS.nostrLength) this.#nostrs.add(nostr);
    return nostr;
  }

  /** Checks whether a value is a nostr of the usual length that was made here. */
  madeNostr(value: unknown): value is string {
    return this.#nostrs.has(value);
  }
}
