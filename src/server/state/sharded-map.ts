const SHARDS = 256;

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

  /** FNV-1a. */
  #shardOf(key: string): Map<string, V> {
    let hash = 0x811c9dc5;
    for (let at = 0; at < key.length; at++) {
      hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
    }
    return this.#shards[(hash ^ (hash >>> 15)) & (SHARDS - 1)]!;
  }
}
