/** The first character above `%` and `+`, in each byte of a word. */
const EVERY_MINUS = 0x2d2d2d2d;
const EVERY_TOP_BIT = 0x80808080 | 0;

/** At least four bytes to compare with, as 32-bit words and the last four bytes, which may overlap. */
export class BytePattern {
  readonly length: number;
  readonly words: Int32Array;
  /** The last four bytes. */
  readonly last: number;

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.length = bytes.length;
    this.words = Int32Array.from({ length: bytes.length >> 2 }, (_, index) =>
      view.getInt32(index * 4, true),
    );
    this.last = view.getInt32(bytes.length - 4, true);
  }
}

/**
 * A copy of a request. Reading memory that is always the same is faster than reading each new chunk,
 * and it can be read four bytes at a time.
 */
export class RequestBytes {
  readonly bytes: Buffer;
  /** Number of bytes copied; those after them are left from earlier requests. */
  length = 0;
  readonly #words: Int32Array;
  readonly #view: DataView;

  /** @param capacity in bytes, a multiple of four; longer requests are truncated */
  constructor(capacity: number) {
    // Four bytes can be read from each place.
    const memory = new ArrayBuffer(capacity + 4);
    this.bytes = Buffer.from(memory, 0, capacity);
    this.#words = new Int32Array(memory);
    this.#view = new DataView(memory);
  }

  /** Copies a chunk from an offset on. */
  load(chunk: Uint8Array, start: number): void {
    const { bytes } = this;
    const length = Math.min(chunk.length - start, bytes.length);
    bytes.set(length === chunk.length ? chunk : chunk.subarray(start, start + length));
    this.length = length;
  }

  /** Checks whether the pattern is at that offset. */
  hasAt(at: number, { length, words, last }: BytePattern): boolean {
    if (at < 0 || at + length > this.length) return false;
    const view = this.#view;
    for (let index = 0; index < words.length; index++) {
      if (view.getInt32(at + index * 4, true) !== words[index]) return false;
    }
    return view.getInt32(at + length - 4, true) === last;
  }

  /**
   * Checks whether the first bytes of other memory are at that offset, in a time that does not depend on
   * where they differ.
   */
  equalsAt(at: number, other: DataView, length: number): boolean {
    const view = this.#view;
    let difference = 0;
    let index = 0;
    for (; index + 4 <= length; index += 4) {
      difference |= view.getInt32(at + index, true) ^ other.getInt32(index, true);
    }
    for (; index < length; index++) difference |= view.getUint8(at + index) ^ other.getUint8(index);
    return difference === 0;
  }

  /** Copies bytes to a place in other memory, four at a time; there, up to three more are overwritten. */
  copyTo(target: DataView, at: number, start: number, end: number): void {
    const offset = at - start;
    for (let from = start; from < end; from += 4) {
      target.setInt32(from + offset, this.#view.getInt32(from, true), true);
    }
  }

  /** Checks whether `%` or `+` is among bytes all others of which are above both, as in a query's value. */
  hasEncoded(start: number, end: number): boolean {
    let below = 0;
    for (let from = start; from < end; from += 4) {
      const word = this.#view.getInt32(from, true);
      // The bytes after the end count as high ones.
      const after = end - from < 4 ? -1 << ((end - from) * 8) : 0;
      below |= (word - EVERY_MINUS) & ~(word | after);
    }
    return (below & EVERY_TOP_BIT) !== 0;
  }

  /** Checks whether the first bytes of both are the same; `length` is at least four. */
  startsLike(other: RequestBytes, length: number): boolean {
    const [words, others] = [this.#words, other.#words];
    for (let index = 0; index < length >> 2; index++) {
      if (words[index] !== others[index]) return false;
    }
    return this.#view.getInt32(length - 4, true) === other.#view.getInt32(length - 4, true);
  }
}
