const BLOCK_BYTES = 64;
/** After the text: a bit that is set, and in the last bytes of the last block the length. */
const MARK = 0x80;
const LENGTH_BYTES = 8;
/** Two hex digits of a byte, in the order in which they are written. */
const HEX = Uint16Array.from({ length: 256 }, (_, byte) => {
  const [high = 0, low = 0] = Buffer.from(byte.toString(16).padStart(2, '0'));
  return high | (low << 8);
});

/** Length of a hash in hex digits. */
export const MD5_DIGITS = 32;

/**
 * MD5 (RFC 1321) of texts that are written into its memory. For a text as short as a query this is faster
 * than the platform's, where the call takes half of the time (docs/performance.md).
 */
export class Md5 {
  /** The text is written here, from the start. Hashing overwrites what follows it. */
  readonly text: Buffer;
  readonly view: DataView;
  readonly #hash = new DataView(new ArrayBuffer(MD5_DIGITS / 2));
  #a = 0;
  #b = 0;
  #c = 0;
  #d = 0;

  /** @param capacity length of the longest text, in bytes */
  constructor(capacity: number) {
    const memory = new ArrayBuffer(endOf(capacity));
    this.text = Buffer.from(memory);
    this.view = new DataView(memory);
  }

  /** Hashes the text of that length, for {@link putHex}. */
  update(length: number): void {
    const { view } = this;
    const end = endOf(length);
    view.setUint8(length, MARK);
    let at = length + 1;
    for (; (at & 3) !== 0; at++) view.setUint8(at, 0);
    for (; at < end - LENGTH_BYTES; at += 4) view.setInt32(at, 0, true);
    view.setInt32(end - 8, length << 3, true);
    view.setInt32(end - 4, length >>> 29, true);
    this.#a = 0x67452301;
    this.#b = 0xefcdab89 | 0;
    this.#c = 0x98badcfe | 0;
    this.#d = 0x10325476;
    for (let block = 0; block < end; block += BLOCK_BYTES) this.#compress(block);
    const hash = this.#hash;
    hash.setInt32(0, this.#a, true);
    hash.setInt32(4, this.#b, true);
    hash.setInt32(8, this.#c, true);
    hash.setInt32(12, this.#d, true);
  }

  /** Writes the hash as 32 lower-case hex digits. */
  putHex(target: DataView, at: number): void {
    for (let byte = 0; byte < MD5_DIGITS / 2; byte++) {
      target.setUint16(at + byte * 2, HEX[this.#hash.getUint8(byte)]!, true);
    }
  }

  #compress(at: number): void {
    const { view } = this;
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    let d = this.#d;
    const x0 = view.getInt32(at, true);
    const x1 = view.getInt32(at + 4, true);
    const x2 = view.getInt32(at + 8, true);
    const x3 = view.getInt32(at + 12, true);
    const x4 = view.getInt32(at + 16, true);
    const x5 = view.getInt32(at + 20, true);
    const x6 = view.getInt32(at + 24, true);
    const x7 = view.getInt32(at + 28, true);
    const x8 = view.getInt32(at + 32, true);
    const x9 = view.getInt32(at + 36, true);
    const x10 = view.getInt32(at + 40, true);
    const x11 = view.getInt32(at + 44, true);
    const x12 = view.getInt32(at + 48, true);
    const x13 = view.getInt32(at + 52, true);
    const x14 = view.getInt32(at + 56, true);
    const x15 = view.getInt32(at + 60, true);
    a = (a + (d ^ (b & (c ^ d))) + x0 - 0x28955b88) | 0;
    a = (((a << 7) | (a >>> 25)) + b) | 0;
    d = (d + (c ^ (a & (b ^ c))) + x1 - 0x173848aa) | 0;
    d = (((d << 12) | (d >>> 20)) + a) | 0;
    c = (c + (b ^ (d & (a ^ b))) + x2 + 0x242070db) | 0;
    c = (((c << 17) | (c >>> 15)) + d) | 0;
    b = (b + (a ^ (c & (d ^ a))) + x3 - 0x3e423112) | 0;
    b = (((b << 22) | (b >>> 10)) + c) | 0;
    a = (a + (d ^ (b & (c ^ d))) + x4 - 0xa83f051) | 0;
    a = (((a << 7) | (a >>> 25)) + b) | 0;
    d = (d + (c ^ (a & (b ^ c))) + x5 + 0x4787c62a) | 0;
    d = (((d << 12) | (d >>> 20)) + a) | 0;
    c = (c + (b ^ (d & (a ^ b))) + x6 - 0x57cfb9ed) | 0;
    c = (((c << 17) | (c >>> 15)) + d) | 0;
    b = (b + (a ^ (c & (d ^ a))) + x7 - 0x2b96aff) | 0;
    b = (((b << 22) | (b >>> 10)) + c) | 0;
    a = (a + (d ^ (b & (c ^ d))) + x8 + 0x698098d8) | 0;
    a = (((a << 7) | (a >>> 25)) + b) | 0;
    d = (d + (c ^ (a & (b ^ c))) + x9 - 0x74bb0851) | 0;
    d = (((d << 12) | (d >>> 20)) + a) | 0;
    c = (c + (b ^ (d & (a ^ b))) + x10 - 0xa44f) | 0;
    c = (((c << 17) | (c >>> 15)) + d) | 0;
    b = (b + (a ^ (c & (d ^ a))) + x11 - 0x76a32842) | 0;
    b = (((b << 22) | (b >>> 10)) + c) | 0;
    a = (a + (d ^ (b & (c ^ d))) + x12 + 0x6b901122) | 0;
    a = (((a << 7) | (a >>> 25)) + b) | 0;
    d = (d + (c ^ (a & (b ^ c))) + x13 - 0x2678e6d) | 0;
    d = (((d << 12) | (d >>> 20)) + a) | 0;
    c = (c + (b ^ (d & (a ^ b))) + x14 - 0x5986bc72) | 0;
    c = (((c << 17) | (c >>> 15)) + d) | 0;
    b = (b + (a ^ (c & (d ^ a))) + x15 + 0x49b40821) | 0;
    b = (((b << 22) | (b >>> 10)) + c) | 0;
    a = (a + (c ^ (d & (b ^ c))) + x1 - 0x9e1da9e) | 0;
    a = (((a << 5) | (a >>> 27)) + b) | 0;
    d = (d + (b ^ (c & (a ^ b))) + x6 - 0x3fbf4cc0) | 0;
    d = (((d << 9) | (d >>> 23)) + a) | 0;
    c = (c + (a ^ (b & (d ^ a))) + x11 + 0x265e5a51) | 0;
    c = (((c << 14) | (c >>> 18)) + d) | 0;
    b = (b + (d ^ (a & (c ^ d))) + x0 - 0x16493856) | 0;
    b = (((b << 20) | (b >>> 12)) + c) | 0;
    a = (a + (c ^ (d & (b ^ c))) + x5 - 0x29d0efa3) | 0;
    a = (((a << 5) | (a >>> 27)) + b) | 0;
    d = (d + (b ^ (c & (a ^ b))) + x10 + 0x2441453) | 0;
    d = (((d << 9) | (d >>> 23)) + a) | 0;
    c = (c + (a ^ (b & (d ^ a))) + x15 - 0x275e197f) | 0;
    c = (((c << 14) | (c >>> 18)) + d) | 0;
    b = (b + (d ^ (a & (c ^ d))) + x4 - 0x182c0438) | 0;
    b = (((b << 20) | (b >>> 12)) + c) | 0;
    a = (a + (c ^ (d & (b ^ c))) + x9 + 0x21e1cde6) | 0;
    a = (((a << 5) | (a >>> 27)) + b) | 0;
    d = (d + (b ^ (c & (a ^ b))) + x14 - 0x3cc8f82a) | 0;
    d = (((d << 9) | (d >>> 23)) + a) | 0;
    c = (c + (a ^ (b & (d ^ a))) + x3 - 0xb2af279) | 0;
    c = (((c << 14) | (c >>> 18)) + d) | 0;
    b = (b + (d ^ (a & (c ^ d))) + x8 + 0x455a14ed) | 0;
    b = (((b << 20) | (b >>> 12)) + c) | 0;
    a = (a + (c ^ (d & (b ^ c))) + x13 - 0x561c16fb) | 0;
    a = (((a << 5) | (a >>> 27)) + b) | 0;
    d = (d + (b ^ (c & (a ^ b))) + x2 - 0x3105c08) | 0;
    d = (((d << 9) | (d >>> 23)) + a) | 0;
    c = (c + (a ^ (b & (d ^ a))) + x7 + 0x676f02d9) | 0;
    c = (((c << 14) | (c >>> 18)) + d) | 0;
    b = (b + (d ^ (a & (c ^ d))) + x12 - 0x72d5b376) | 0;
    b = (((b << 20) | (b >>> 12)) + c) | 0;
    a = (a + (b ^ c ^ d) + x5 - 0x5c6be) | 0;
    a = (((a << 4) | (a >>> 28)) + b) | 0;
    d = (d + (a ^ b ^ c) + x8 - 0x788e097f) | 0;
    d = (((d << 11) | (d >>> 21)) + a) | 0;
    c = (c + (d ^ a ^ b) + x11 + 0x6d9d6122) | 0;
    c = (((c << 16) | (c >>> 16)) + d) | 0;
    b = (b + (c ^ d ^ a) + x14 - 0x21ac7f4) | 0;
    b = (((b << 23) | (b >>> 9)) + c) | 0;
    a = (a + (b ^ c ^ d) + x1 - 0x5b4115bc) | 0;
    a = (((a << 4) | (a >>> 28)) + b) | 0;
    d = (d + (a ^ b ^ c) + x4 + 0x4bdecfa9) | 0;
    d = (((d << 11) | (d >>> 21)) + a) | 0;
    c = (c + (d ^ a ^ b) + x7 - 0x944b4a0) | 0;
    c = (((c << 16) | (c >>> 16)) + d) | 0;
    b = (b + (c ^ d ^ a) + x10 - 0x41404390) | 0;
    b = (((b << 23) | (b >>> 9)) + c) | 0;
    a = (a + (b ^ c ^ d) + x13 + 0x289b7ec6) | 0;
    a = (((a << 4) | (a >>> 28)) + b) | 0;
    d = (d + (a ^ b ^ c) + x0 - 0x155ed806) | 0;
    d = (((d << 11) | (d >>> 21)) + a) | 0;
    c = (c + (d ^ a ^ b) + x3 - 0x2b10cf7b) | 0;
    c = (((c << 16) | (c >>> 16)) + d) | 0;
    b = (b + (c ^ d ^ a) + x6 + 0x4881d05) | 0;
    b = (((b << 23) | (b >>> 9)) + c) | 0;
    a = (a + (b ^ c ^ d) + x9 - 0x262b2fc7) | 0;
    a = (((a << 4) | (a >>> 28)) + b) | 0;
    d = (d + (a ^ b ^ c) + x12 - 0x1924661b) | 0;
    d = (((d << 11) | (d >>> 21)) + a) | 0;
    c = (c + (d ^ a ^ b) + x15 + 0x1fa27cf8) | 0;
    c = (((c << 16) | (c >>> 16)) + d) | 0;
    b = (b + (c ^ d ^ a) + x2 - 0x3b53a99b) | 0;
    b = (((b << 23) | (b >>> 9)) + c) | 0;
    a = (a + (c ^ (b | ~d)) + x0 - 0xbd6ddbc) | 0;
    a = (((a << 6) | (a >>> 26)) + b) | 0;
    d = (d + (b ^ (a | ~c)) + x7 + 0x432aff97) | 0;
    d = (((d << 10) | (d >>> 22)) + a) | 0;
    c = (c + (a ^ (d | ~b)) + x14 - 0x546bdc59) | 0;
    c = (((c << 15) | (c >>> 17)) + d) | 0;
    b = (b + (d ^ (c | ~a)) + x5 - 0x36c5fc7) | 0;
    b = (((b << 21) | (b >>> 11)) + c) | 0;
    a = (a + (c ^ (b | ~d)) + x12 + 0x655b59c3) | 0;
    a = (((a << 6) | (a >>> 26)) + b) | 0;
    d = (d + (b ^ (a | ~c)) + x3 - 0x70f3336e) | 0;
    d = (((d << 10) | (d >>> 22)) + a) | 0;
    c = (c + (a ^ (d | ~b)) + x10 - 0x100b83) | 0;
    c = (((c << 15) | (c >>> 17)) + d) | 0;
    b = (b + (d ^ (c | ~a)) + x1 - 0x7a7ba22f) | 0;
    b = (((b << 21) | (b >>> 11)) + c) | 0;
    a = (a + (c ^ (b | ~d)) + x8 + 0x6fa87e4f) | 0;
    a = (((a << 6) | (a >>> 26)) + b) | 0;
    d = (d + (b ^ (a | ~c)) + x15 - 0x1d31920) | 0;
    d = (((d << 10) | (d >>> 22)) + a) | 0;
    c = (c + (a ^ (d | ~b)) + x6 - 0x5cfebcec) | 0;
    c = (((c << 15) | (c >>> 17)) + d) | 0;
    b = (b + (d ^ (c | ~a)) + x13 + 0x4e0811a1) | 0;
    b = (((b << 21) | (b >>> 11)) + c) | 0;
    a = (a + (c ^ (b | ~d)) + x4 - 0x8ac817e) | 0;
    a = (((a << 6) | (a >>> 26)) + b) | 0;
    d = (d + (b ^ (a | ~c)) + x11 - 0x42c50dcb) | 0;
    d = (((d << 10) | (d >>> 22)) + a) | 0;
    c = (c + (a ^ (d | ~b)) + x2 + 0x2ad7d2bb) | 0;
    c = (((c << 15) | (c >>> 17)) + d) | 0;
    b = (b + (d ^ (c | ~a)) + x9 - 0x14792c6f) | 0;
    b = (((b << 21) | (b >>> 11)) + c) | 0;
    this.#a = (this.#a + a) | 0;
    this.#b = (this.#b + b) | 0;
    this.#c = (this.#c + c) | 0;
    this.#d = (this.#d + d) | 0;
  }
}

/** End of the last block of a text. */
function endOf(length: number): number {
  return (length + 1 + LENGTH_BYTES + BLOCK_BYTES - 1) & -BLOCK_BYTES;
}
