/**
 * Chaskey-12: a message authentication code of 32-bit additions, rotations and exclusive ors, which
 * JavaScript computes without a call into the platform; the tag is truncated to its first 64 bits.
 *
 * @see Mouha et al., "Chaskey: An Efficient MAC Algorithm for 32-bit Microcontrollers" (SAC 2014),
 * with the 12 rounds of ISO/IEC 29192-6
 */
export class Chaskey {
  readonly #k0: number;
  readonly #k1: number;
  readonly #k2: number;
  readonly #k3: number;
  /** The subkey for an incomplete last block. */
  readonly #last: Block;
  /** First words of the last tag. */
  tag0 = 0;
  tag1 = 0;

  /** @param key 16 bytes */
  constructor(key: Buffer) {
    const block: Block = [0, 4, 8, 12].map((at) => key.readInt32LE(at)) as Block;
    [this.#k0, this.#k1, this.#k2, this.#k3] = block;
    this.#last = doubled(doubled(block));
  }

  /**
   * Authenticates 24 bytes, given as six little-endian 32-bit words. The tag is left in {@link tag0}
   * and {@link tag1}: returning an array would create garbage on the fast path.
   */
  authenticate(m0: number, m1: number, m2: number, m3: number, m4: number, m5: number): void {
    const last = this.#last;
    let v0 = this.#k0 ^ m0;
    let v1 = this.#k1 ^ m1;
    let v2 = this.#k2 ^ m2;
    let v3 = this.#k3 ^ m3;
    for (let round = 0; round < 24; round++) {
      if (round === 12) {
        // The second block is 8 bytes, then the padding: one bit, and zeros.
        v0 ^= m4 ^ last[0];
        v1 ^= m5 ^ last[1];
        v2 ^= 1 ^ last[2];
        v3 ^= last[3];
      }
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 13) | (v3 >>> 19)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 7) | (v1 >>> 25)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    this.tag0 = v0 ^ last[0];
    this.tag1 = v1 ^ last[1];
  }
}

type Block = [number, number, number, number];

/** Multiplication by two in the field of 2^128 elements. */
function doubled([w0, w1, w2, w3]: Block): Block {
  return [
    (w0 << 1) ^ (w3 < 0 ? 0x87 : 0),
    (w1 << 1) | (w0 >>> 31),
    (w2 << 1) | (w1 >>> 31),
    (w3 << 1) | (w2 >>> 31),
  ];
}
