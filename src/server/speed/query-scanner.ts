import { PRODUCT_TYPES, type ProductType } from '../../interface/index.ts';
import {
  COORDINATE_BOUNDS,
  DEFAULT_MAP_TYPE,
  type Route,
  SERVED_RIDE_TYPES,
} from '../service/estimate/route.ts';
import { BytePattern, type RequestBytes } from './request-bytes.ts';

/** The parameters of an estimate, sorted by name as they are signed. */
export const PARAMETERS = [
  'departure_time',
  'end_lat',
  'end_lng',
  'from_name',
  'imei',
  'map_type',
  'product_type',
  'ride_type',
  'start_lat',
  'start_lng',
  'to_name',
] as const;

type Key = keyof typeof PARAMETERS & `${number}`;
type IndexOf<Name> = {
  [K in Key]: Name extends (typeof PARAMETERS)[K]
    ? K extends `${infer Index extends number}`
      ? Index
      : never
    : never;
}[Key];

// Written out, as V8 reads a literal faster; the compiler names each that a new parameter shifts.
const DEPARTURE: IndexOf<'departure_time'> = 0;
const END_LAT: IndexOf<'end_lat'> = 1;
const END_LNG: IndexOf<'end_lng'> = 2;
const IMEI: IndexOf<'imei'> = 4;
const MAP_TYPE: IndexOf<'map_type'> = 5;
const PRODUCT: IndexOf<'product_type'> = 6;
const RIDE: IndexOf<'ride_type'> = 7;
const START_LAT: IndexOf<'start_lat'> = 8;
const START_LNG: IndexOf<'start_lng'> = 9;
const OPTIONAL = (1 << DEPARTURE) | (1 << IMEI) | (1 << MAP_TYPE);
const EVERY = (1 << PARAMETERS.length) - 1;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const patternOf = (text: string): BytePattern => new BytePattern(bytesOf(text));
const NAMES = PARAMETERS.map((name) => patternOf(`${name}=`));
const PRODUCT_PATTERNS = PRODUCT_TYPES.map(patternOf);
const RIDE_PATTERNS = SERVED_RIDE_TYPES.map(patternOf);
const MAP_TYPE_PATTERNS = [patternOf(DEFAULT_MAP_TYPE)];

const AMPERSAND = 0x26;
const PERCENT = 0x25;
const MINUS = 0x2d;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
/** Longest decimal whose digits are exact as a double. */
const LONGEST_DECIMAL = 15;
const POWER_OF_TEN = Array.from({ length: LONGEST_DECIMAL + 1 }, (_, power) => 10 ** power);

/** 1 for a byte that is allowed in a value without encoding. */
const PLAIN = new Uint8Array(256);
for (const byte of bytesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+')) {
  PLAIN[byte] = 1;
}
/** Value of a hex digit; 256 for other bytes. */
const HEX = new Uint16Array(256).fill(256);
for (const [value, byte] of bytesOf('0123456789abcdef').entries()) HEX[byte] = value;
for (const [value, byte] of bytesOf('ABCDEF').entries()) HEX[byte] = value + 10;
/** Length of a UTF-8 sequence by its first octet; 0 for an octet that starts none. */
const SEQUENCE_LENGTH = new Uint8Array(512).fill(1, 0, 0x80);
SEQUENCE_LENGTH.fill(2, 0xc2, 0xe0).fill(3, 0xe0, 0xf0).fill(4, 0xf0, 0xf5);

/**
 * Reads a route from the bytes of a query in the usual notation. Queries in another notation are left
 * to the parser of the estimate endpoint (interface.md, "2. Estimate prices").
 */
export class QueryScanner implements Route {
  /** Start and end of each value, by {@link PARAMETERS}; a start of 0 for one that is left out. */
  readonly starts: Int32Array = new Int32Array(PARAMETERS.length);
  readonly ends: Int32Array = new Int32Array(PARAMETERS.length);
  startLat = 0;
  startLng = 0;
  endLat = 0;
  endLng = 0;
  productType: ProductType = 'private-car';
  rideType = '';
  departureS: number | null = null;
  /** Largest absolute value of each coordinate, by {@link PARAMETERS}; 0 for the other parameters. */
  readonly #bounds: Int32Array;
  /** For each parameter the one that followed it last: a client sends them in a fixed order. */
  readonly #next = new Int32Array(PARAMETERS.length + 1);

  /** @param bounds largest absolute value of each coordinate, in degrees */
  constructor(
    bounds: Readonly<Record<keyof typeof COORDINATE_BOUNDS, number>> = COORDINATE_BOUNDS,
  ) {
    const boundOf: Readonly<Record<string, number>> = bounds;
    this.#bounds = Int32Array.from(PARAMETERS, (name) => boundOf[name] ?? 0);
  }

  /** Scans a query, each byte once; returns whether this is now its route. */
  scan(request: RequestBytes, start: number, end: number): boolean {
    const { bytes } = request;
    let seen = 0;
    let last: number = PARAMETERS.length;
    this.starts.fill(0);
    this.departureS = null;
    for (let at = start; at < end; ) {
      const parameter = this.#parameterAt(request, at, last);
      if (parameter < 0 || (seen & (1 << parameter)) !== 0) return false;
      seen |= 1 << parameter;
      const from = at + NAMES[parameter]!.length;
      const to = this.#readValue(parameter, request, from, end);
      if (to === from || (to < end - 1 ? bytes[to] !== AMPERSAND : to !== end)) return false;
      this.starts[parameter] = from;
      this.ends[parameter] = to;
      at = to + 1;
      last = parameter;
    }
    return (seen | OPTIONAL) === EVERY;
  }

  #parameterAt(request: RequestBytes, at: number, last: number): number {
    const next = this.#next[last]!;
    if (request.hasAt(at, NAMES[next]!)) return next;
    for (let parameter = 0; parameter < NAMES.length; parameter++) {
      if (!request.hasAt(at, NAMES[parameter]!)) continue;
      this.#next[last] = parameter;
      return parameter;
    }
    return -1;
  }

  /** End of a value; its start for one that the scanner does not read. */
  #readValue(parameter: number, request: RequestBytes, from: number, end: number): number {
    const { bytes } = request;
    switch (parameter) {
      case START_LAT:
      case START_LNG:
      case END_LAT:
      case END_LNG:
        return this.#readDegrees(parameter, bytes, from, end);
      case PRODUCT: {
        const product = patternAt(request, from, end, PRODUCT_PATTERNS);
        if (product < 0) return from;
        this.productType = PRODUCT_TYPES[product]!;
        return from + PRODUCT_PATTERNS[product]!.length;
      }
      case RIDE: {
        const ride = patternAt(request, from, end, RIDE_PATTERNS);
        if (ride < 0) return from;
        this.rideType = SERVED_RIDE_TYPES[ride]!;
        return from + RIDE_PATTERNS[ride]!.length;
      }
      case MAP_TYPE:
        return patternAt(request, from, end, MAP_TYPE_PATTERNS) < 0
          ? from
          : from + MAP_TYPE_PATTERNS[0]!.length;
      case DEPARTURE:
        return this.#readSeconds(bytes, from, end);
      default:
        return textEnd(bytes, from, end);
    }
  }

  /** Reads digits with at most one point between them, within the bound of the coordinate. */
  #readDegrees(parameter: number, bytes: Uint8Array, from: number, end: number): number {
    const isNegative = bytes[from] === MINUS;
    const first = from + Number(isNegative);
    let digits = 0;
    let pointAt = -1;
    let at = first;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte >= DIGIT_0 && byte <= DIGIT_0 + 9) digits = digits * 10 + byte - DIGIT_0;
      else if (byte === POINT && pointAt < 0 && at > first) pointAt = at;
      else break;
    }
    if (at === first || at - first > LONGEST_DECIMAL || pointAt === at - 1) return from;
    // Dividend and divisor are exact, so the quotient is the nearest double, as with `Number`.
    const value = pointAt < 0 ? digits : digits / POWER_OF_TEN[at - pointAt - 1]!;
    if (value > this.#bounds[parameter]!) return from;
    const degrees = isNegative ? -value : value;
    if (parameter === START_LAT) this.startLat = degrees;
    else if (parameter === START_LNG) this.startLng = degrees;
    else if (parameter === END_LAT) this.endLat = degrees;
    else this.endLng = degrees;
    return at;
  }

  #readSeconds(bytes: Uint8Array, from: number, end: number): number {
    let seconds = 0;
    let at = from;
    for (; at < end && bytes[at]! >= DIGIT_0 && bytes[at]! <= DIGIT_0 + 9; at++) {
      seconds = seconds * 10 + bytes[at]! - DIGIT_0;
    }
    this.departureS = seconds;
    return at - from > 10 ? from : at;
  }
}

/** Index of the pattern that is the whole value at that offset; -1 for none. */
function patternAt(
  request: RequestBytes,
  at: number,
  end: number,
  patterns: readonly BytePattern[],
): number {
  for (let index = 0; index < patterns.length; index++) {
    const to = at + patterns[index]!.length;
    const isWhole = to === end || (to < end && request.bytes[to] === AMPERSAND);
    if (isWhole && request.hasAt(at, patterns[index]!)) return index;
  }
  return -1;
}

/** End of plain bytes and percent-encoded UTF-8 in its shortest form. */
function textEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    if (PLAIN[bytes[at]!] === 1) {
      at++;
      continue;
    }
    const lead = octetAt(bytes, at, end);
    const length = SEQUENCE_LENGTH[lead & 0x1ff]!;
    if (length === 0) break;
    if (length > 1) {
      const second = octetAt(bytes, at + 3, end);
      const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
      const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
      if (second < low || second > high) break;
    }
    if (length > 2 && (octetAt(bytes, at + 6, end) & 0x1c0) !== 0x80) break;
    if (length > 3 && (octetAt(bytes, at + 9, end) & 0x1c0) !== 0x80) break;
    at += length * 3;
  }
  return at;
}

/** The octet that `%XX` encodes; 256 for other bytes. */
function octetAt(bytes: Uint8Array, at: number, end: number): number {
  if (at + 3 > end || bytes[at] !== PERCENT) return 256;
  return Math.min(256, HEX[bytes[at + 1]!]! * 16 + HEX[bytes[at + 2]!]!);
}
