import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Md5 } from '../../../src/server/speed/md5.ts';

const CAPACITY = 400;
/** A million by hand; the lengths of all blocks are in the first few thousand. */
const CASES = Number(process.env['FAREPROOF_MD5_CASES'] ?? 5_000);

const md5 = new Md5(CAPACITY);

/** The hash of a text, after whatever was hashed before it. */
function hexOf(text: Buffer): string {
  md5.text.set(text);
  md5.update(text.length);
  const hex = Buffer.alloc(34, '.');
  md5.putHex(new DataView(hex.buffer, hex.byteOffset), 1);
  return hex.toString('latin1');
}

describe('MD5', () => {
  // RFC 1321, appendix A.5.
  it.each([
    ['', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['a', '0cc175b9c0f1b6a831c399e269772661'],
    ['abc', '900150983cd24fb0d6963f7d28e17f72'],
    ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
    ['abcdefghijklmnopqrstuvwxyz', 'c3fcd3d76192e4007dfb496cca67e13b'],
    [
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
      'd174ab98d277d9f5a5611c2c9f419d9f',
    ],
    [
      '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
      '57edf4a22be3c955ac49da2e2107b67a',
    ],
  ])('of %j', (text, expected) => {
    expect(hexOf(Buffer.from(text))).toBe(`.${expected}.`);
  });

  it('of each length that the memory holds', () => {
    for (let length = 0; length <= CAPACITY; length++) {
      const text = Buffer.alloc(length, 0xe9);
      expect(hexOf(text)).toBe(`.${hash('md5', text)}.`);
    }
  });

  it(`is that of the platform, in ${CASES} cases`, { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: CAPACITY, size: 'max' }), (bytes) => {
        const text = Buffer.from(bytes);
        expect(hexOf(text)).toBe(`.${hash('md5', text)}.`);
      }),
      { numRuns: CASES, seed: 1 },
    );
  });
});
