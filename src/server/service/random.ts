import { hash, randomFillSync } from 'node:crypto';

/** Bytes of `node:crypto`, described without the types of Node, which who uses the library may lack. */
export type RandomBytes = Uint8Array & { toString(encoding: 'hex' | 'base64url'): string };

/** A source of random bytes; each call gives a buffer with that number of new ones. */
export type RandomSource = (byteCount: number) => RandomBytes;

const POOL_BYTES = 4096;

/** Cryptographic random bytes, drawn in pools: a system call for each token would be slow. */
export function cryptoRandom(): RandomSource {
  let pool = Buffer.alloc(0);
  return (byteCount) => {
    if (byteCount > pool.length) {
      pool = randomFillSync(Buffer.allocUnsafeSlow(Math.max(POOL_BYTES, byteCount)));
    }
    const bytes = pool.subarray(0, byteCount);
    pool = pool.subarray(byteCount);
    return bytes;
  };
}

/** Bytes that a seed determines, for a server whose answers are to be the same each time. */
export function seededRandom(seed: number): RandomSource {
  let block = 0;
  return (byteCount) => {
    const blocks: Buffer[] = [];
    for (let bytes = 0; bytes < byteCount; bytes += 32)
      blocks.push(hash('sha256', `${seed} ${block++}`, 'buffer'));
    return Buffer.concat(blocks).subarray(0, byteCount);
  };
}
