import { ShardedMap } from './sharded-map.ts';

/** An entry that may be forgotten from a time on. */
export interface Expiring {
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

const STEPS_PER_INSERTION = 2;

/**
 * A map that forgets expired entries. A cursor walks the entries in circles, two steps for each
 * insertion: expired entries never outnumber live ones for long, and no insertion pays for a whole
 * sweep.
 */
export class ExpiringMap<V extends Expiring> {
  readonly #entries = new ShardedMap<V>();
  #cursor = this.#entries.entries();

  get size(): number {
    return this.#entries.size;
  }

  /** Looks up an entry; it may have expired. */
  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** Adds or replaces an entry. */
  set(key: string, value: V, nowMs: number): void {
    this.#entries.set(key, value);
    for (let step = 0; step < STEPS_PER_INSERTION; step++) this.#advance(nowMs);
  }

  #advance(nowMs: number): void {
    const next = this.#cursor.next();
    if (next.done) {
      this.#cursor = this.#entries.entries();
      return;
    }
    const [key, value] = next.value;
    if (value.expiresAtMs <= nowMs) this.#entries.delete(key);
  }
}
