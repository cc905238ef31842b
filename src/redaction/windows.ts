/** Bytes of a secret that stand together and are not shown. */
export const WINDOW_BYTES = 8;

/** Owner of a window that names no secret. */
export const NOBODY = -1;

const FEWEST_SLOTS = 1 << 10;
const FEWEST_FILTER_BITS = 1 << 20;

/**
 * Map from a few bytes that stand together to their owner, and their place there. It is asked for each
 * byte of each text, which a Map would answer ten times slower.
 */
export class WindowMap {
  /** 0 for windows of four bytes, which have no first half. */
  readonly #highMask: number;
  /** Bits by hash: they tell that most windows of a text are missing, and fit into a cache. */
  #filter = new Int32Array(FEWEST_FILTER_BITS / 32);
  #filterMask = FEWEST_FILTER_BITS - 1;
  /** Numbers of entries plus one, by hash; 0 is free. At most half are taken. */
  #slots = new Int32Array(FEWEST_SLOTS);
  /** The two halves of a window, its owner and its place there. */
  #entries = new Int32Array(2 * FEWEST_SLOTS);
  #count = 0;

  /** @param bytes of a window: eight, or the last four */
  constructor(bytes: 4 | 8 = WINDOW_BYTES) {
    this.#highMask = bytes === 4 ? 0 : -1;
  }

  /** Number of windows. */
  get size(): number {
    return this.#count;
  }

  /**
   * End of the next window that may be in the map; -1 if there is none.
   *
   * @param from first end that counts
   * @param alphabet 1 for each byte that a window may have
   */
  next(bytes: Uint8Array, length: number, from: number, alphabet: Uint8Array): number {
    const filter = this.#filter;
    const filterMask = this.#filterMask;
    const highMask = this.#highMask;
    const size = highMask === 0 ? 4 : WINDOW_BYTES;
    let high = 0;
    let low = 0;
    let run = 0;
    for (let at = Math.max(0, from - size); at < length; at++) {
      const byte = bytes[at]!;
      if (alphabet[byte] === 0) {
        run = 0;
        continue;
      }
      high = ((high << 8) | (low >>> 24)) & highMask;
      low = (low << 8) | byte;
      if (++run < size) continue;
      const hash = hashOf(high, low);
      if ((filter[(hash & filterMask) >>> 5]! & (1 << hash)) !== 0 && at + 1 >= from) return at + 1;
    }
    return -1;
  }

  /** Entry of the window that ends at a position; -1 if there is none. */
  find(bytes: Uint8Array, end: number): number {
    const high = bytesBefore(bytes, end - 4) & this.#highMask;
    const low = bytesBefore(bytes, end);
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(high, low) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot]! - 1;
      if (entry < 0) return -1;
      if (this.#entries[4 * entry] === high && this.#entries[4 * entry + 1] === low) return entry;
    }
  }

  ownerOf(entry: number): number {
    return this.#entries[4 * entry + 2]!;
  }

  /** Place of the window in its owner: its end, in bytes. */
  endOf(entry: number): number {
    return this.#entries[4 * entry + 3]!;
  }

  /** Adds the window that ends at a position, and is not there. */
  add(bytes: Uint8Array, end: number, owner: number): void {
    const entry = this.#count++;
    if (4 * this.#count > this.#entries.length) this.#entries = longer(this.#entries);
    this.#entries[4 * entry] = bytesBefore(bytes, end - 4) & this.#highMask;
    this.#entries[4 * entry + 1] = bytesBefore(bytes, end);
    this.give(entry, owner, end);
    if (2 * this.#count > this.#slots.length) this.#rehash();
    else this.#occupy(entry);
  }

  /** Gives a window to another owner. */
  give(entry: number, owner: number, end: number): void {
    this.#entries[4 * entry + 2] = owner;
    this.#entries[4 * entry + 3] = end;
  }

  #rehash(): void {
    this.#slots = new Int32Array(4 * this.#slots.length);
    // A bit for each slot: a filter that is full tells nothing.
    if (this.#slots.length > this.#filterMask + 1) {
      this.#filter = new Int32Array(this.#slots.length / 32);
      this.#filterMask = this.#slots.length - 1;
    }
    for (let entry = 0; entry < this.#count; entry++) this.#occupy(entry);
  }

  #occupy(entry: number): void {
    const mask = this.#slots.length - 1;
    const hash = hashOf(this.#entries[4 * entry]!, this.#entries[4 * entry + 1]!);
    this.#filter[(hash & this.#filterMask) >>> 5]! |= 1 << hash;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = entry + 1;
  }
}

function hashOf(high: number, low: number): number {
  const mixed = Math.imul(high, 0x85eb_ca6b) ^ Math.imul(low, 0xc2b2_ae35);
  return Math.imul(mixed ^ (mixed >>> 15), 0x27d4_eb2f) >>> 7;
}

/** Four bytes as a number; 0 if there are not as many. */
function bytesBefore(bytes: Uint8Array, end: number): number {
  if (end < 4) return 0;
  return (
    (bytes[end - 4]! << 24) | (bytes[end - 3]! << 16) | (bytes[end - 2]! << 8) | bytes[end - 1]!
  );
}

function longer(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const twice = new Int32Array(2 * numbers.length);
  twice.set(numbers);
  return twice;
}
