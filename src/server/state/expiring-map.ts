import { ShardedMap } from './sharded-map.ts';

/** Whatever has an end, in milliseconds since the epoch, after which nobody misses it. */
export interface Expiring {
  readonly expiresAtMs: number;
}

const STEPS_PER_INSERTION = 2;

/**
 * A map that forgets what has expired. A hand goes round the entries, two steps for each insertion:
 * what is expired never outnumbers what is live for long, and no insertion pays for a whole sweep.
 */
export class ExpiringMap<V extends Expiring> {
  readonly #entries = new ShardedMap<V>();
  #hand = this.#entries.entries();

  get size(): number {
    return this.#entries.size;
  }

  /** Looks an entry up, be it expired or not: the caller judges that. */
  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** Adds an entry, or puts another in its place. */
  set(key: string, value: V, nowMs: number): void {
    this.#entries.set(key, value);
    for (let step = 0; step < STEPS_PER_INSERTION; step++) this.#advance(nowMs);
  }

  #advance(nowMs: number): void {
    const next = this.#hand.next();
    if (next.done) {
      this.#hand = this.#entries.entries();
      return;
    }
    const [key, value] = next.value;
    if (value.expiresAtMs <= nowMs) this.#entries.delete(key);
  }
}
