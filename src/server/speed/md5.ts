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
 * than the platform's, where the call takes half of the time (bench/NOTES.md).
 */
export class Md5 {
  /** The text is written here, from the start. Hashing overwrites what follows it. */
  readonly text: Buffer;
  readonly view: DataView;
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
  }

  /** Writes the hash as 32 lower-case hex digits. */
  putHex(target: DataView, at: number): void {
    putHexWord(target, at, this.#a);
    putHexWord(target, at + 8, this.#b);
    putHexWord(target, at + 16, this.#c);
    putHexWord(target, at + 24, this.#d);
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
    // Each step waits for the value of the step before, so that value comes last in its sum.
    a = (a + x0 - 0x28955b88 + (d ^ (b & (c ^ d)))) | 0;
    a = (((a << 7) | (a >>> 25)) + b) | 0;
    d = (d + x1 - 0x173848aa + (c ^ (a & (b ^ c)))) | 0;
    d = (((d << 12) | (d >>> 20)) + a) | 0;
    c = (c + x2 + 0x242070db + (b ^ (d & (a ^ b)))) | 0;
    c = (((c << 17) | (c >>> 15)) + d) | 0;
    b = (b + x3 - 0x3e423112 + (a ^ (c & (d ^ a)))) | 0;
    b = (((b << 22) | (b >>> 10)) + c) | 0;
    a = (a + x4 - 0xa83f051 + (d ^ (b & (c ^ d)))) | 0;
    a = (((a << 7) | (a >>> 25)) + b) | 0;
    d = (d + x5 + 0x4787c62a + (c ^ (a & (b ^ c)))) | 0;
    d = (((d << 12) | (d >>> 20)) + a) | 0;
    c = (c + x6 - 0x57cfb9ed + (b ^ (d & (a ^ b)))) | 0;
    c = (((c << 17) | (c >>> 15)) + d) | 0;
    b = (b + x7 - 0x2b96aff + (a ^ (c & (d ^ a)))) | 0;
    b = (((b << 22) | (b >>> 10)) + c) | 0;
    a = (a + x8 + 0x698098d8 + (d ^ (b & (c ^ d)))) | 0;
    a = (((a << 7) | (a >>> 25)) + b) | 0;
    d = (d + x9 - 0x74bb0851 + (c ^ (a & (b ^ c)))) | 0;
    d = (((d << 12) | (d >>> 20)) + a) | 0;
    c = (c + x10 - 0xa44f + (b ^ (d & (a ^ b)))) | 0;
    c = (((c << 17) | (c >>> 15)) + d) | 0;
    b = (b + x11 - 0x76a32842 + (a ^ (c & (d ^ a)))) | 0;
    b = (((b << 22) | (b >>> 10)) + c) | 0;
    a = (a + x12 + 0x6b901122 + (d ^ (b & (c ^ d)))) | 0;
    a = (((a << 7) | (a >>> 25)) + b) | 0;
    d = (d + x13 - 0x2678e6d + (c ^ (a & (b ^ c)))) | 0;
    d = (((d << 12) | (d >>> 20)) + a) | 0;
    c = (c + x14 - 0x5986bc72 + (b ^ (d & (a ^ b)))) | 0;
    c = (((c << 17) | (c >>> 15)) + d) | 0;
    b = (b + x15 + 0x49b40821 + (a ^ (c & (d ^ a)))) | 0;
    b = (((b << 22) | (b >>> 10)) + c) | 0;
    a = (a + x1 - 0x9e1da9e + (c & ~d) + (b & d)) | 0;
    a = (((a << 5) | (a >>> 27)) + b) | 0;
    d = (d + x6 - 0x3fbf4cc0 + (b & ~c) + (a & c)) | 0;
    d = (((d << 9) | (d >>> 23)) + a) | 0;
    c = (c + x11 + 0x265e5a51 + (a & ~b) + (d & b)) | 0;
    c = (((c << 14) | (c >>> 18)) + d) | 0;
    b = (b + x0 - 0x16493856 + (d & ~a) + (c & a)) | 0;
    b = (((b << 20) | (b >>> 12)) + c) | 0;
    a = (a + x5 - 0x29d0efa3 + (c & ~d) + (b & d)) | 0;
    a = (((a << 5) | (a >>> 27)) + b) | 0;
    d = (d + x10 + 0x2441453 + (b & ~c) + (a & c)) | 0;
    d = (((d << 9) | (d >>> 23)) + a) | 0;
    c = (c + x15 - 0x275e197f + (a & ~b) + (d & b)) | 0;
    c = (((c << 14) | (c >>> 18)) + d) | 0;
    b = (b + x4 - 0x182c0438 + (d & ~a) + (c & a)) | 0;
    b = (((b << 20) | (b >>> 12)) + c) | 0;
    a = (a + x9 + 0x21e1cde6 + (c & ~d) + (b & d)) | 0;
    a = (((a << 5) | (a >>> 27)) + b) | 0;
    d = (d + x14 - 0x3cc8f82a + (b & ~c) + (a & c)) | 0;
    d = (((d << 9) | (d >>> 23)) + a) | 0;
    c = (c + x3 - 0xb2af279 + (a & ~b) + (d & b)) | 0;
    c = (((c << 14) | (c >>> 18)) + d) | 0;
    b = (b + x8 + 0x455a14ed + (d & ~a) + (c & a)) | 0;
    b = (((b << 20) | (b >>> 12)) + c) | 0;
    a = (a + x13 - 0x561c16fb + (c & ~d) + (b & d)) | 0;
    a = (((a << 5) | (a >>> 27)) + b) | 0;
    d = (d + x2 - 0x3105c08 + (b & ~c) + (a & c)) | 0;
    d = (((d << 9) | (d >>> 23)) + a) | 0;
    c = (c + x7 + 0x676f02d9 + (a & ~b) + (d & b)) | 0;
    c = (((c << 14) | (c >>> 18)) + d) | 0;
    b = (b + x12 - 0x72d5b376 + (d & ~a) + (c & a)) | 0;
    b = (((b << 20) | (b >>> 12)) + c) | 0;
    a = (a + x5 - 0x5c6be + (c ^ d ^ b)) | 0;
    a = (((a << 4) | (a >>> 28)) + b) | 0;
    d = (d + x8 - 0x788e097f + (b ^ c ^ a)) | 0;
    d = (((d << 11) | (d >>> 21)) + a) | 0;
    c = (c + x11 + 0x6d9d6122 + (a ^ b ^ d)) | 0;
    c = (((c << 16) | (c >>> 16)) + d) | 0;
    b = (b + x14 - 0x21ac7f4 + (d ^ a ^ c)) | 0;
    b = (((b << 23) | (b >>> 9)) + c) | 0;
    a = (a + x1 - 0x5b4115bc + (c ^ d ^ b)) | 0;
    a = (((a << 4) | (a >>> 28)) + b) | 0;
    d = (d + x4 + 0x4bdecfa9 + (b ^ c ^ a)) | 0;
    d = (((d << 11) | (d >>> 21)) + a) | 0;
    c = (c + x7 - 0x944b4a0 + (a ^ b ^ d)) | 0;
    c = (((c << 16) | (c >>> 16)) + d) | 0;
    b = (b + x10 - 0x41404390 + (d ^ a ^ c)) | 0;
    b = (((b << 23) | (b >>> 9)) + c) | 0;
    a = (a + x13 + 0x289b7ec6 + (c ^ d ^ b)) | 0;
    a = (((a << 4) | (a >>> 28)) + b) | 0;
    d = (d + x0 - 0x155ed806 + (b ^ c ^ a)) | 0;
    d = (((d << 11) | (d >>> 21)) + a) | 0;
    c = (c + x3 - 0x2b10cf7b + (a ^ b ^ d)) | 0;
    c = (((c << 16) | (c >>> 16)) + d) | 0;
    b = (b + x6 + 0x4881d05 + (d ^ a ^ c)) | 0;
    b = (((b << 23) | (b >>> 9)) + c) | 0;
    a = (a + x9 - 0x262b2fc7 + (c ^ d ^ b)) | 0;
    a = (((a << 4) | (a >>> 28)) + b) | 0;
    d = (d + x12 - 0x1924661b + (b ^ c ^ a)) | 0;
    d = (((d << 11) | (d >>> 21)) + a) | 0;
    c = (c + x15 + 0x1fa27cf8 + (a ^ b ^ d)) | 0;
    c = (((c << 16) | (c >>> 16)) + d) | 0;
    b = (b + x2 - 0x3b53a99b + (d ^ a ^ c)) | 0;
    b = (((b << 23) | (b >>> 9)) + c) | 0;
    a = (a + x0 - 0xbd6ddbc + (c ^ (b | ~d))) | 0;
    a = (((a << 6) | (a >>> 26)) + b) | 0;
    d = (d + x7 + 0x432aff97 + (b ^ (a | ~c))) | 0;
    d = (((d << 10) | (d >>> 22)) + a) | 0;
    c = (c + x14 - 0x546bdc59 + (a ^ (d | ~b))) | 0;
    c = (((c << 15) | (c >>> 17)) + d) | 0;
    b = (b + x5 - 0x36c5fc7 + (d ^ (c | ~a))) | 0;
    b = (((b << 21) | (b >>> 11)) + c) | 0;
    a = (a + x12 + 0x655b59c3 + (c ^ (b | ~d))) | 0;
    a = (((a << 6) | (a >>> 26)) + b) | 0;
    d = (d + x3 - 0x70f3336e + (b ^ (a | ~c))) | 0;
    d = (((d << 10) | (d >>> 22)) + a) | 0;
    c = (c + x10 - 0x100b83 + (a ^ (d | ~b))) | 0;
    c = (((c << 15) | (c >>> 17)) + d) | 0;
    b = (b + x1 - 0x7a7ba22f + (d ^ (c | ~a))) | 0;
    b = (((b << 21) | (b >>> 11)) + c) | 0;
    a = (a + x8 + 0x6fa87e4f + (c ^ (b | ~d))) | 0;
    a = (((a << 6) | (a >>> 26)) + b) | 0;
    d = (d + x15 - 0x1d31920 + (b ^ (a | ~c))) | 0;
    d = (((d << 10) | (d >>> 22)) + a) | 0;
    c = (c + x6 - 0x5cfebcec + (a ^ (d | ~b))) | 0;
    c = (((c << 15) | (c >>> 17)) + d) | 0;
    b = (b + x13 + 0x4e0811a1 + (d ^ (c | ~a))) | 0;
    b = (((b << 21) | (b >>> 11)) + c) | 0;
    a = (a + x4 - 0x8ac817e + (c ^ (b | ~d))) | 0;
    a = (((a << 6) | (a >>> 26)) + b) | 0;
    d = (d + x11 - 0x42c50dcb + (b ^ (a | ~c))) | 0;
    d = (((d << 10) | (d >>> 22)) + a) | 0;
    c = (c + x2 + 0x2ad7d2bb + (a ^ (d | ~b))) | 0;
    c = (((c << 15) | (c >>> 17)) + d) | 0;
    b = (b + x9 - 0x14792c6f + (d ^ (c | ~a))) | 0;
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

/** Writes four bytes, the lowest first, as eight hex digits. */
function putHexWord(target: DataView, at: number, word: number): void {
  target.setInt32(at, HEX[word & 0xff]! | (HEX[(word >>> 8) & 0xff]! << 16), true);
  target.setInt32(at + 4, HEX[(word >>> 16) & 0xff]! | (HEX[word >>> 24]! << 16), true);
}
