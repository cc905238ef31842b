import {
  base64Range,
  digitRange,
  eachBase64,
  eachHex,
  hexRange,
  type Range,
  type Seen,
} from './encodings.ts';
import { type Layer, layersOf } from './layers.ts';
import { type Hit, NeedleIndex, type SoughtSecret } from './needle-index.ts';

/** A range of a text that is a secret, or a part of one, in any spelling. */
export interface Match extends Range {
  readonly secret: string;
  readonly isWhole: boolean;
}

/**
 * Finds secrets in texts: as they are or escaped in up to four layers, and in each of these layers in
 * Base64 at any offset and in hexadecimal. Of a secret of eight bytes or more it finds any eight bytes
 * that stand together, unless they also stand in a public text or in another secret.
 */
export class SecretSearch {
  readonly #index: NeedleIndex;
  /** Secrets that are not in the index yet: many a redactor never searches. */
  #pending: SoughtSecret[] = [];

  /** @param mostWindows see {@link NeedleIndex} */
  constructor(mostWindows?: number) {
    this.#index = new NeedleIndex(mostWindows);
  }

  /** True once there are secrets of which not every part is found. */
  get isFull(): boolean {
    return this.#index.isFull;
  }

  add(secret: SoughtSecret): void {
    this.#pending.push(secret);
  }

  /** Keeps the windows of a public text, such as the id of a partner, where they are parts of a secret. */
  keep(publicText: string): void {
    this.#index.keep(publicText);
  }

  /** Secrets and parts of secrets in a text; they may overlap. */
  matchesIn(text: string): Match[] {
    // A secret that another one contains comes before it, and keeps its windows.
    for (const secret of this.#pending.toSorted((a, b) => a.text.length - b.text.length))
      this.#index.add(secret);
    this.#pending = [];
    if (this.#index.isEmpty) return [];
    return layersOf(text).flatMap((layer) => this.#matchesInLayer(layer));
  }

  #matchesInLayer({ text, places }: Layer): Match[] {
    const bytes = bytesOf(text);
    const { length } = bytes;
    const units = length === text.length ? null : unitsOf(text, length);
    const matches: Match[] = [];
    /** @param at position in the bytes of the layer */
    const placeOf = (at: number): number => {
      const unit = units?.[at] ?? at;
      return places?.[unit] ?? unit;
    };
    const take = (
      hits: readonly Hit[],
      rangeOf: (start: number, end: number) => Range = (start, end) => ({ start, end }),
    ): void => {
      for (const { start, end, needle } of hits) {
        const range = rangeOf(start, end);
        matches.push({
          start: placeOf(range.start),
          end: placeOf(range.end),
          secret: needle.text,
          isWhole: end - start === needle.bytes.length,
        });
      }
    };
    take(this.#index.search(bytes, length));
    const seen: Seen = {
      base64: (decoded, count, from) => {
        const hits = this.#index.search(decoded, count);
        if (hits.length > 0) take(hits, (start, end) => base64Range(from, start, end));
      },
      hex: (decoded, count, digits) => {
        const hits = this.#index.search(decoded, count);
        if (hits.length > 0) take(hits, (start, end) => hexRange(digits, start, end));
      },
      digits: (decoded, count, digits) => {
        const hits = this.#index.search(decoded, count);
        if (hits.length > 0) take(hits, (start, end) => digitRange(digits, start, end));
      },
    };
    eachBase64(bytes, length, this.#index.sought, seen);
    eachHex(bytes, length, this.#index.sought, seen);
    return matches;
  }
}

const KEPT_BYTES = 1 << 16;
const textBytes = Buffer.allocUnsafe(KEPT_BYTES);

/** The bytes of a text, until the next call. */
function bytesOf(text: string): Buffer {
  // In UTF-8 a character takes three bytes at most.
  if (3 * text.length > KEPT_BYTES) return Buffer.from(text);
  return textBytes.subarray(0, textBytes.write(text));
}

/** Position of the character that each byte of a text belongs to, and at the end its length. */
function unitsOf(text: string, byteLength: number): Int32Array {
  const units = new Int32Array(byteLength + 1);
  let byte = 0;
  for (let unit = 0; unit < text.length; unit++) {
    const codePoint = text.codePointAt(unit) ?? 0;
    const count = codePoint < 0x80 ? 1 : codePoint < 0x8_00 ? 2 : codePoint < 0x1_00_00 ? 3 : 4;
    units.fill(unit, byte, byte + count);
    byte += count;
    if (count === 4) unit++;
  }
  units[byteLength] = text.length;
  return units;
}
