import { hash } from 'node:crypto';
import { PARAMETERS, type QueryScanner } from './query-scanner.ts';

const NAMES = PARAMETERS.map((name) => Buffer.from(`${name}=`));
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const AMPERSAND = 0x26;

/** Signs scanned queries from their bytes (interface.md, "Signature algorithm"). */
export class SignedQuery {
  readonly #text: Buffer;

  /** @param capacity length of the longest query, in bytes */
  constructor(capacity: number) {
    this.#text = Buffer.alloc(capacity + 64);
  }

  /** The signature, 32 lower-case hex digits. */
  sign(bytes: Uint8Array, { starts, ends }: QueryScanner, signingKey: string): string {
    const text = this.#text;
    let length = 0;
    for (let parameter = 0; parameter < PARAMETERS.length; parameter++) {
      const start = starts[parameter]!;
      if (start === 0) continue;
      if (length > 0) text[length++] = AMPERSAND;
      const name = NAMES[parameter]!;
      for (let at = 0; at < name.length; at++) text[length++] = name[at]!;
      length = this.#writeValue(bytes, start, ends[parameter]!, length);
    }
    while (text[length - 1] === AMPERSAND) length--;
    return hash('md5', hash('md5', text.subarray(0, length)) + signingKey);
  }

  /** Writes a value decoded and trimmed; returns its end. */
  #writeValue(bytes: Uint8Array, start: number, end: number, from: number): number {
    const text = this.#text;
    let length = from;
    for (let at = start; at < end; at++) {
      let octet = bytes[at]!;
      if (octet === PLUS) octet = SPACE;
      else if (octet === PERCENT) {
        octet = digit(bytes[at + 1]!) * 16 + digit(bytes[at + 2]!);
        at += 2;
      }
      if (length > from || !isSpace(octet)) text[length++] = octet;
    }
    while (length > from && isSpace(text[length - 1]!)) length--;
    return length;
  }
}

/** Recognises ASCII whitespace. */
function isSpace(octet: number): boolean {
  return octet === SPACE || (octet >= 0x09 && octet <= 0x0d);
}

/** Value of a hex digit; the scanner has checked that it is one. */
function digit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte & 0x0f) + 9;
}
