/**
 * Calls functions at an interval, all at the same moment: what several of them send over one
 * connection then leaves in one write, and writes are most of a controller's cost.
 */
export class Pulse {
  readonly #intervalMs: number;
  readonly #acts = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Calls a function from now on; returns what ends that. */
  add(act: () => void): () => void {
    this.#acts.add(act);
    this.#timer ??= setInterval(() => {
      for (const one of this.#acts) one();
    }, this.#intervalMs);
    return () => {
      this.#acts.delete(act);
      if (this.#acts.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }
}
