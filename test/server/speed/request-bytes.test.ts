import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BytePattern, RequestBytes } from '../../../src/server/speed/request-bytes.ts';

const CAPACITY = 64;
/** Few letters, so that texts often nearly match. */
const text = (minLength: number, maxLength: number): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.constantFrom(0x61, 0x62), { minLength, maxLength })
    .map((octets) => Buffer.from(octets));

describe('a copied request', () => {
  it('finds a text at every position, whatever earlier requests left behind', () => {
    fc.assert(
      fc.property(
        text(1, CAPACITY),
        text(1, CAPACITY),
        text(4, 9),
        fc.integer({ min: -9, max: CAPACITY + 9 }),
        (earlier, chunk, wanted, at) => {
          const request = new RequestBytes(CAPACITY);
          request.load(earlier, 0);
          request.load(chunk, 0);
          const stands = at >= 0 && chunk.subarray(at, at + wanted.length).equals(wanted);
          expect(request.hasAt(at, new BytePattern(wanted))).toBe(stands);
        },
      ),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('compares starts byte by byte', () => {
    fc.assert(
      fc.property(text(4, 12), text(4, 12), fc.nat(7), (one, other, more) => {
        const [first, second] = [new RequestBytes(CAPACITY), new RequestBytes(CAPACITY)];
        first.load(Buffer.concat([one, Buffer.alloc(more, 1)]), 0);
        second.load(Buffer.concat([other, Buffer.alloc(more, 2)]), 0);
        const length = Math.min(one.length, other.length);
        const isSame = one.subarray(0, length).equals(other.subarray(0, length));
        expect(first.startsLike(second, length)).toBe(isSame);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('is equal to other memory in as many bytes as are compared', () => {
    fc.assert(
      fc.property(text(9, 20), text(9, 9), fc.nat(10), fc.nat(9), (chunk, other, at, length) => {
        const request = new RequestBytes(CAPACITY);
        request.load(chunk, 0);
        const view = new DataView(Uint8Array.from(other).buffer);
        const there = chunk.subarray(at, at + length);
        fc.pre(there.length === length);
        expect(request.equalsAt(at, view, length)).toBe(there.equals(other.subarray(0, length)));
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('has an encoded value where there is % or + in it, not before or behind', () => {
    const value = fc.array(fc.constantFrom(...Buffer.from('%+-.09AZ_az~')), { maxLength: 12 });
    fc.assert(
      fc.property(value, value, value, (before, inside, after) => {
        const request = new RequestBytes(CAPACITY);
        request.load(Buffer.from([...before, ...inside, ...after]), 0);
        const end = before.length + inside.length;
        const isEncoded = /[%+]/.test(Buffer.from(inside).toString());
        expect(request.hasEncoded(before.length, end)).toBe(isEncoded);
      }),
      { numRuns: 5_000, seed: 1 },
    );
  });

  it('copies no more of a chunk than fits, from the given offset', () => {
    const request = new RequestBytes(8);
    request.load(Buffer.from('0123456789abcdef'), 4);
    expect(request.length).toBe(8);
    expect(request.bytes.toString()).toBe('456789ab');
    request.load(Buffer.from('xyz'), 1);
    expect(request.length).toBe(2);
    expect(request.hasAt(0, new BytePattern(Buffer.from('yz67')))).toBe(false);
  });
});
