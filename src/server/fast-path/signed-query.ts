import { hash } from 'node:crypto';
import { PARAMETERS, type QueryScanner } from './query-scanner.ts';
import { BytePattern, type RequestBytes } from './request-bytes.ts';

const NAMES = PARAMETERS.map((name) => new BytePattern(Buffer.from(`&${name}=`)));
/** Whether the value of a parameter is free text, which may be encoded or start and end with spaces. */
const IS_TEXT = PARAMETERS.map((name) => ['from_name', 'imei', 'to_name'].includes(name));
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const AMPERSAND = 0x26;

/** Signs scanned queries from their bytes (interface.md, "Signature algorithm"). */
export class SignedQuery {
  /** The signed text, after an ampersand before its first name. */
  readonly #text: Buffer;
  readonly #view: DataView;

  /** @param capacity length of the longest query, in bytes */
  constructor(capacity: number) {
    this.#text = Buffer.alloc(capacity + 64);
    this.#view = new DataView(this.#text.buffer, this.#text.byteOffset, this.#text.length);
  }

  /** The signature, 32 lower-case hex digits. */
  sign(request: RequestBytes, { starts, ends }: QueryScanner, signingKey: string): string {
    const text = this.#text;
    let length = 0;
    for (let parameter = 0; parameter < PARAMETERS.length; parameter++) {
      const start = starts[parameter]!;
      if (start === 0) continue;
      const end = ends[parameter]!;
      length = this.#writeName(NAMES[parameter]!, length);
      if (IS_TEXT[parameter]) length = this.#writeText(request.bytes, start, end, length);
      else {
        request.copyTo(this.#view, length, start, end);
        length += end - start;
      }
    }
    while (length > 1 && text[length - 1] === AMPERSAND) length--;
    return hash('md5', hash('md5', text.subarray(1, length)) + signingKey);
  }

  #writeName({ length, words, last }: BytePattern, at: number): number {
    const view = this.#view;
    for (let index = 0; index < words.length; index++) {
      view.setInt32(at + index * 4, words[index]!, true);
    }
    view.setInt32(at + length - 4, last, true);
    return at + length;
  }

  /** Writes a value decoded and trimmed; returns its end. */
  #writeText(bytes: Uint8Array, start: number, end: number, from: number): number {
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
