/**
 * The latest stall of each generator of a process, in memory that its threads share: the burst after a stall delays
 * the requests of the others too.
 */
export class SharedStalls {
  /** Start and end of each, monotonic clock, nanoseconds; 0 for none. */
  readonly #times: Float64Array;
  readonly #own: number;

  /** @param own place of the generator that it belongs to, from 0 */
  constructor(memory: SharedArrayBuffer, own: number) {
    this.#times = new Float64Array(memory);
    this.#own = own;
  }

  /** Memory for some generators. */
  static memoryFor(generators: number): SharedArrayBuffer {
    return new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT * generators);
  }

  begin(fromNs: number): void {
    // Until it has an end it has no start that another thread could see.
    this.#times[2 * this.#own + 1] = 0;
    this.#times[2 * this.#own] = fromNs;
    this.#times[2 * this.#own + 1] = Number.POSITIVE_INFINITY;
  }

  end(untilNs: number): void {
    this.#times[2 * this.#own + 1] = untilNs;
  }

  /** True for a time within the stall of another generator. */
  isOfOther(ns: number): boolean {
    const times = this.#times;
    for (let at = 0; at < times.length; at += 2) {
      if (at === 2 * this.#own) continue;
      if (ns >= (times[at] as number) && ns <= (times[at + 1] as number)) return true;
    }
    return false;
  }
}
