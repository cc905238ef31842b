import { setImmediate as nextTurn } from 'node:timers/promises';

const SHARDS = 256;
/** Entries that are counted in one go: a fraction of a millisecond. */
const COUNTED_AT_ONCE = 4096;

/**
 * A map split into many small ones by the hash of the key. A single map that outgrows its table copies
 * all of it at once: at a million entries, a pause of a tenth of a second.
 */
export class ShardedMap<V> {
  readonly #shards: readonly Map<string, V>[] = Array.from({ length: SHARDS }, () => new Map());

  get size(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.size, 0);
  }

  get(key: string): V | undefined {
    return this.#shardOf(key).get(key);
  }

  set(key: string, value: V): void {
    this.#shardOf(key).set(key, value);
  }

  delete(key: string): boolean {
    return this.#shardOf(key).delete(key);
  }

  /** Every entry, shard by shard; entries added or deleted meanwhile may be missed or repeated. */
  *entries(): Generator<[string, V], undefined> {
    for (const shard of this.#shards) yield* shard;
    return undefined;
  }

  /** Counts entries, in small parts between which other work is done. */
  async count(matches: (value: V) => boolean): Promise<number> {
    let count = 0;
    let seen = 0;
    for (const shard of this.#shards) {
      for (const value of shard.values()) if (matches(value)) count++;
      seen += shard.size;
      if (seen < COUNTED_AT_ONCE) continue;
      seen = 0;
      await nextTurn();
    }
    return count;
  }

  /** FNV-1a. */
  #shardOf(key: string): Map<string, V> {
    let hash = 0x811c9dc5;
    for (let at = 0; at < key.length; at++) {
      hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
    }
    return this.#shards[(hash ^ (hash >>> 15)) & (SHARDS - 1)]!;
  }
}

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

  /** Every value, as {@link ShardedMap.entries}; they may have expired. */
  *values(): Generator<V, undefined> {
    for (const [, value] of this.#entries.entries()) yield value;
    return undefined;
  }

  /** Counts entries as {@link ShardedMap.count}; they may have expired. */
  count(matches: (value: V) => boolean): Promise<number> {
    return this.#entries.count(matches);
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
