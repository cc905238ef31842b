import { MD5_DIGITS, Md5 } from './md5.ts';
import { PARAMETERS, type QueryScanner } from './query-scanner.ts';
import type { RequestBytes } from './request-bytes.ts';

/** Bytes of each name and the equals sign behind it. */
const NAME_BYTES = Int32Array.from(PARAMETERS, (name) => name.length + 1);
/** Marks the parameters whose values are free text, which may be encoded or start and end with spaces. */
const IS_TEXT = PARAMETERS.map((name) => ['from_name', 'imei', 'to_name'].includes(name));
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const AMPERSAND = 0x26;

/** Signs scanned queries from their bytes (interface.md, "Signature algorithm"). */
export class SignedQuery {
  readonly #signed: Md5;
  /** The hash of the signed text in hex, and the signing key behind it. */
  #keyed = new Md5(MD5_DIGITS);
  #signingKey = '';
  #keyBytes = 0;

  /** @param capacity length of the longest query, in bytes */
  constructor(capacity: number) {
    this.#signed = new Md5(capacity + 64);
  }

  /** Signs a query: the first 32 bytes are the signature, lower-case hex digits, until the next one. */
  sign(request: RequestBytes, { starts, ends }: QueryScanner, signingKey: string): DataView {
    const { text, view } = this.#signed;
    let length = 0;
    for (let parameter = 0; parameter < PARAMETERS.length; parameter++) {
      const start = starts[parameter]!;
      if (start === 0) continue;
      const end = ends[parameter]!;
      // Name and value stand together in the query, behind an ampersand but for the first.
      const from = start - NAME_BYTES[parameter]! - (length === 0 ? 0 : 1);
      const valueAt = length + start - from;
      request.copyTo(view, length, from, end);
      if (length > 0) text[length] = AMPERSAND;
      length =
        IS_TEXT[parameter] && request.hasEncoded(start, end)
          ? this.#writeText(request.bytes, start, end, valueAt)
          : valueAt + end - start;
    }
    while (text[length - 1] === AMPERSAND) length--;
    this.#signed.update(length);
    if (signingKey !== this.#signingKey) this.#takeKey(signingKey);
    const keyed = this.#keyed;
    this.#signed.putHex(keyed.view, 0);
    keyed.update(MD5_DIGITS + this.#keyBytes);
    keyed.putHex(keyed.view, 0);
    return keyed.view;
  }

  #takeKey(signingKey: string): void {
    const key = Buffer.from(signingKey);
    this.#keyed = new Md5(MD5_DIGITS + key.length);
    this.#keyed.text.set(key, MD5_DIGITS);
    this.#signingKey = signingKey;
    this.#keyBytes = key.length;
  }

  /** Writes a value decoded and trimmed; returns its end. */
  #writeText(bytes: Uint8Array, start: number, end: number, from: number): number {
    const { text } = this.#signed;
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
