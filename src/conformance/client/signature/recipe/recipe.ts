import { createHmac, hash } from 'node:crypto';
import type { Pairs } from './pairs.ts';
import { type PairChoices, type TextChoices, textOf } from './text.ts';

/**
 * A signature algorithm in which each step is a choice, so that wrong choices of a client can be
 * tried. {@link DOCUMENTED_RECIPE} has the right ones (interface.md, "Signature algorithm").
 */
export interface Recipe extends PairChoices, TextChoices, DigestChoices {}

/** The documented algorithm. */
export const DOCUMENTED_RECIPE: Recipe = {
  fields: (pairs) => pairs,
  order: 'bytes',
  empties: 'skipped',
  zero: 'kept',
  trimmed: 'both',
  lists: 'compact',
  values: 'plain',
  terms: 'pairs',
  joint: '&',
  booleans: 'numeric',
  ends: 'stripped',
  text: 'plain',
  charset: 'utf-8',
  algorithm: 'md5',
  inner: 'lower',
  outer: 'keyed',
  keyPlace: 'last',
  separator: '',
  keyText: 'as-is',
  notation: 'hex',
};

/** Signs by a recipe; characters that its charset lacks become `?`. */
export function signBy(
  recipe: Recipe,
  sent: Pairs,
  signingKey: string,
): { signedText: string; signature: string } {
  const signedText = textOf(recipe, recipe.fields(sent));
  const { keyText } = recipe;
  const key = keyBytes(keyText, signingKey);
  const digest = hexDigest(recipe, CHARSETS[recipe.charset](signedText), key);
  const { notation } = recipe;
  const signature = typeof notation === 'function' ? notation(digest) : NOTATIONS[notation](digest);
  return { signedText, signature };
}

function keyBytes(keyText: DigestChoices['keyText'], signingKey: string): Uint8Array {
  if (typeof keyText === 'function') return Buffer.from(keyText(signingKey));
  return typeof keyText === 'object'
    ? Buffer.from(keyText.verbatim)
    : KEY_BYTES[keyText](signingKey);
}

/** A known way to sign wrongly: one part of the recipe, chosen wrongly. */
export interface Mistake {
  /** Permanent id, such as `order-locale`. */
  readonly id: string;
  /** The mistake, as a predicate of "the signature": `is made of unsorted pairs`. */
  readonly statement: string;
  /** The right way. */
  readonly advice: string;
  /** The part of the recipe that is wrong; two mistakes in one part exclude each other. */
  readonly part: keyof Recipe;
  readonly apply: (recipe: Recipe) => Recipe;
}

/** Choices of step 6: how the text and the signing key become the signature. */
export interface DigestChoices {
  readonly charset: keyof typeof CHARSETS;
  readonly algorithm:
    | Algorithm
    | 'hmac-md5'
    | 'hmac-md5-of-inner'
    | 'hmac-sha1'
    | 'hmac-sha256'
    | DigestOf;
  /** A function replaces the inner digest in lower-case hex. */
  readonly inner: keyof typeof INNER_DIGESTS | ((hex: string) => string);
  /** `key-inside` hashes S and the key together, and hashes that digest again. */
  readonly outer: 'keyed' | 'unkeyed' | 'key-inside' | 'hashed-again';
  readonly keyPlace: keyof typeof KEY_PLACES;
  /** Separator between the key and the hashed text. */
  readonly separator: string;
  /** `verbatim` is used in place of the key. */
  readonly keyText:
    | keyof typeof KEY_BYTES
    | { readonly verbatim: string }
    | ((key: string) => string);
  readonly notation: keyof typeof NOTATIONS | ((hex: string) => string);
}

/** The digest of a text and a key, in hex. */
export type DigestOf = (text: Uint8Array, key: Uint8Array) => string;

type Algorithm = 'md5' | 'sha1' | 'sha256' | 'sha512';

const INNER_DIGESTS = {
  lower: (algorithm, text) => Buffer.from(hash(algorithm, text)),
  upper: (algorithm, text) => Buffer.from(hash(algorithm, text).toUpperCase()),
  raw: (algorithm, text) => hash(algorithm, text, 'buffer'),
  none: (_algorithm, text) => text,
  twice: (algorithm, text) => Buffer.from(hash(algorithm, hash(algorithm, text))),
  base64: (algorithm, text) => Buffer.from(hash(algorithm, text, 'base64')),
} satisfies Record<string, (algorithm: Algorithm, text: Uint8Array) => Uint8Array>;

const KEY_PLACES = {
  last: (hashed, separator, key) => [hashed, separator, key],
  first: (hashed, separator, key) => [key, separator, hashed],
  'both-ends': (hashed, separator, key) => [key, separator, hashed, separator, key],
} satisfies Record<string, (...parts: [Uint8Array, Uint8Array, Uint8Array]) => Uint8Array[]>;

const KEY_BYTES = {
  'as-is': (key) => Buffer.from(key),
  trimmed: (key) => Buffer.from(key.trim()),
  lower: (key) => Buffer.from(key.toLowerCase()),
  upper: (key) => Buffer.from(key.toUpperCase()),
  md5: (key) => Buffer.from(hash('md5', key)),
  'with-line-feed': (key) => Buffer.from(`${key}\n`),
  'with-crlf': (key) => Buffer.from(`${key}\r\n`),
  'with-space': (key) => Buffer.from(`${key} `),
  'with-bom': (key) => Buffer.from(`\ufeff${key}`),
  quoted: (key) => Buffer.from(`"${key}"`),
  'single-quoted': (key) => Buffer.from(`'${key}'`),
  'from-hex': (key) => Buffer.from(key, 'hex'),
  'from-base64': (key) => Buffer.from(key, 'base64'),
} satisfies Record<string, (key: string) => Uint8Array>;

const NOTATIONS = {
  hex: (hex) => hex,
  base64: (hex) => Buffer.from(hex, 'hex').toString('base64'),
  'base64-of-hex': (hex) => Buffer.from(hex).toString('base64'),
  'first-half': (hex) => hex.slice(0, hex.length / 2),
  'middle-half': (hex) => hex.slice(hex.length / 4, (hex.length * 3) / 4),
} satisfies Record<string, (hex: string) => string>;

/** True if a signing key can be used: one that is not hex cannot be decoded from hex. */
export function acceptsKey({ keyText }: DigestChoices, signingKey: string): boolean {
  if (keyText === 'from-hex') return /^([0-9a-f]{2})+$/i.test(signingKey);
  return keyText !== 'from-base64' || BASE64.test(signingKey);
}

const BASE64 = /^(?:[\w+/-]{4})+(?:[\w+/-]{2}={0,2}|[\w+/-]{3}=?)?$/;

function hexDigest(choices: DigestChoices, text: Uint8Array, key: Uint8Array): string {
  const { algorithm, inner, outer, keyPlace } = choices;
  if (typeof algorithm === 'function') return algorithm(text, key);
  switch (algorithm) {
    case 'hmac-md5':
    case 'hmac-sha1':
    case 'hmac-sha256':
      return createHmac(algorithm.slice('hmac-'.length), key).update(text).digest('hex');
    case 'hmac-md5-of-inner':
      return createHmac('md5', key).update(hash('md5', text)).digest('hex');
    default:
  }
  const withKey = (hashed: Uint8Array): Buffer =>
    Buffer.concat(KEY_PLACES[keyPlace](hashed, Buffer.from(choices.separator), key));
  const innerDigest = (): Uint8Array =>
    typeof inner === 'function'
      ? Buffer.from(inner(hash(algorithm, text)))
      : INNER_DIGESTS[inner](algorithm, text);
  switch (outer) {
    case 'keyed':
      return hash(algorithm, withKey(innerDigest()));
    case 'hashed-again':
      return hash(algorithm, hash(algorithm, withKey(innerDigest())));
    case 'unkeyed':
      return hash(algorithm, innerDigest());
    case 'key-inside':
      return hash(algorithm, hash(algorithm, withKey(text)));
  }
}

/** Encodings that clients are known to sign in; characters that a charset lacks become `?`. */
export const CHARSETS = {
  'utf-8': (text) => Buffer.from(text, 'utf8'),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'low-bytes': (text) => Buffer.from(text, 'latin1'),
  'latin-1': (text) => Buffer.from(Array.from(text, latin1Of)),
  gbk: (text) => Buffer.from(Array.from(text, gbkOf).flat()),
} satisfies Record<string, (text: string) => Uint8Array>;

function latin1Of(char: string): number {
  const point = char.codePointAt(0) ?? 0;
  return point < 0x100 ? point : 0x3f;
}

let gbkTable: ReadonlyMap<string, readonly [number, number]> | undefined;

function gbkOf(char: string): readonly number[] {
  const point = char.codePointAt(0) ?? 0;
  if (point < 0x80) return [point];
  gbkTable ??= buildGbkTable();
  return gbkTable.get(char) ?? [0x3f];
}

/** Builds the encoding table from the platform's GBK decoder: it has no encoder. */
function buildGbkTable(): Map<string, readonly [number, number]> {
  const decoder = new TextDecoder('gbk');
  const table = new Map<string, readonly [number, number]>();
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      if (trail === 0x7f) continue;
      const char = decoder.decode(Uint8Array.of(lead, trail));
      if (!char.includes('\ufffd') && Array.from(char).length === 1) table.set(char, [lead, trail]);
    }
  }
  return table;
}
