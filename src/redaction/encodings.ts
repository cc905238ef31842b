/** A range of positions. */
export interface Range {
  readonly start: number;
  /** Position after the last one. */
  readonly end: number;
}

/** Properties of the bytes that are looked for. */
export interface Sought {
  /** Bytes that stand together. */
  readonly least: number;
  /** 1 for each byte that may be one of them. */
  readonly alphabet: Uint8Array;
}

/** Called with bytes that a part of a text encodes; the array is used again afterwards. */
export interface Seen {
  /** @param from position of the digit that the first byte begins with */
  base64(bytes: Uint8Array, length: number, from: number): void;
  /** @param places position of each digit, two for each byte */
  hex(bytes: Uint8Array, length: number, places: Int32Array): void;
  /** Digits in lower case, without what separates them. */
  digits(bytes: Uint8Array, length: number, places: Int32Array): void;
}

/** Value of each byte as a digit of Base64, of either alphabet; -1 for none. */
const BASE64 = valuesOf(
  ['+/', '-_'].map(
    (last) => `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${last}`,
  ),
);

/** Value of each byte as a hexadecimal digit; -1 for none. */
const HEX = valuesOf(['0123456789abcdef', '0123456789ABCDEF']);

/** At most two of these stand between hexadecimal digits. */
const SEPARATOR = new Uint8Array(256);
for (const one of ' \t\r\n:;,.-_|/') SEPARATOR[one.charCodeAt(0)] = 1;
const MOST_SEPARATORS = 2;

const ZERO = '0'.charCodeAt(0);
const A = 'A'.charCodeAt(0);
const F = 'F'.charCodeAt(0);
const LOWER_CASE = 0x20;
const X = 'x'.charCodeAt(0);

function valuesOf(alphabets: readonly string[]): Int8Array {
  const values = new Int8Array(256).fill(-1);
  for (const digits of alphabets) {
    for (let value = 0; value < digits.length; value++) values[digits.charCodeAt(value)] = value;
  }
  return values;
}

/**
 * Decodes each run of Base64 digits four times, from each of its first four digits on: what stands before
 * the encoded text may look like a part of it.
 *
 * @param length number of bytes of the text
 */
export function eachBase64(text: Uint8Array, length: number, sought: Sought, seen: Seen): void {
  const digits = Math.ceil((sought.least * 4) / 3);
  for (let start = 0; start < length; start++) {
    if (BASE64[text[start]!] === -1) continue;
    let end = start + 1;
    while (end < length && BASE64[text[end]!] !== -1) end++;
    if (end - start >= digits) {
      const bytes = scratchOf(end - start);
      for (let from = start; from < start + 4; from++) {
        const count = decodeBase64(text, from, end, bytes, sought);
        if (count > 0) seen.base64(bytes, count, from);
      }
    }
    start = end;
  }
}

/** Range of the digits that stand for some bytes. */
export function base64Range(from: number, first: number, last: number): Range {
  return {
    start: from + Math.floor((first * 4) / 3),
    end: from + Math.ceil((last * 4) / 3),
  };
}

/** Decodes what lies between two positions, and returns the number of bytes; 0 if none can be sought ones. */
function decodeBase64(
  text: Uint8Array,
  from: number,
  end: number,
  to: Uint8Array,
  { least, alphabet }: Sought,
): number {
  let count = 0;
  let run = 0;
  let longest = 0;
  let bits = 0;
  let bitCount = 0;
  for (let at = from; at < end; at++) {
    bits = ((bits << 6) | BASE64[text[at]!]!) & 0x3f_ff;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      const byte = (bits >>> bitCount) & 0xff;
      to[count++] = byte;
      run = alphabet[byte] === 0 ? 0 : run + 1;
      if (run > longest) longest = run;
    }
  }
  return longest < least ? 0 : count;
}

/**
 * Hands over each run of hexadecimal digits, which may have separators, or `0x`, between them: the digits
 * in lower case, and what they encode, from each of the first two digits on.
 *
 * @param length number of bytes of the text
 */
export function eachHex(text: Uint8Array, length: number, { least }: Sought, seen: Seen): void {
  let start = 0;
  let count = 0;
  let separators = 0;
  /** True for digits that the text has not as they are handed over. */
  let isRespelled = false;
  for (let at = 0; at <= length; at++) {
    const byte = at < length ? text[at]! : 0;
    if (HEX[byte] !== -1) {
      if (count++ === 0) start = at;
      else if (separators > 0) isRespelled = true;
      if (byte >= A && byte <= F) isRespelled = true;
      separators = 0;
    } else if (count > 0) {
      if (isPrefix(text, at)) separators = 1;
      else if (SEPARATOR[byte] === 0 || ++separators > MOST_SEPARATORS) {
        if (count >= 2 * least || (isRespelled && count >= least))
          seeHex(text, digitsIn(text, start, at), isRespelled, least, seen);
        count = 0;
        separators = 0;
        isRespelled = false;
      }
    }
  }
}

/** Checks for the x of `0x`. */
function isPrefix(text: Uint8Array, at: number): boolean {
  return (text[at]! | LOWER_CASE) === X && text[at - 1] === ZERO;
}

/** Positions of the digits in a range, without the 0 of `0x`. */
function digitsIn(text: Uint8Array, start: number, end: number): Int32Array {
  const places = new Int32Array(end - start);
  let count = 0;
  for (let at = start; at < end; at++) {
    if (HEX[text[at]!] !== -1 && !isPrefix(text, at + 1)) places[count++] = at;
  }
  return places.subarray(0, count);
}

/** @param places positions of the digits */
function seeHex(
  text: Uint8Array,
  places: Int32Array,
  isRespelled: boolean,
  least: number,
  seen: Seen,
): void {
  const { length } = places;
  const bytes = scratchOf(length);
  if (isRespelled) {
    for (let at = 0; at < length; at++) bytes[at] = text[places[at]!]! | LOWER_CASE;
    seen.digits(bytes, length, places);
  }
  if (length < 2 * least) return;
  for (const from of [0, 1]) {
    const own = places.subarray(from);
    const count = own.length >> 1;
    for (let at = 0; at < count; at++) {
      bytes[at] = (HEX[text[own[2 * at]!]!]! << 4) | HEX[text[own[2 * at + 1]!]!]!;
    }
    seen.hex(bytes, count, own);
  }
}

/** Range of digits; two of them stand for a byte. */
export function hexRange(places: Int32Array, first: number, last: number): Range {
  return { start: places[2 * first] ?? 0, end: (places[2 * last - 1] ?? 0) + 1 };
}

/** Range of digits that stand for themselves. */
export function digitRange(places: Int32Array, first: number, last: number): Range {
  return { start: places[first] ?? 0, end: (places[last - 1] ?? 0) + 1 };
}

const KEPT_SCRATCH = 1 << 16;
let scratch = Buffer.alloc(1024);

/** Space for some bytes, used again and again. */
function scratchOf(length: number): Buffer {
  if (length <= scratch.length) return scratch;
  const space = Buffer.alloc(2 * length);
  if (space.length <= KEPT_SCRATCH) scratch = space;
  return space;
}
