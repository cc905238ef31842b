import { hash } from 'node:crypto';
import { FareproofError } from './errors.ts';

/**
 * Answers to the gaps that the signature algorithm leaves open; the defaults are those of
 * {@link DEFAULT_SIGNATURE_SETTINGS} (interface.md, "Signature algorithm", steps 3 and 4).
 */
export interface SignatureSettings {
  /** Whether the text `"0"` enters like the number 0 (gap `text-zero-signed`). */
  readonly textZero: 'kept' | 'skipped';
  /** How a slash inside a list is written in its JSON (gap `slash-in-list`). */
  readonly slashInList: 'escaped' | 'plain';
  /**
   * How booleans enter (gap `signed-booleans-and-objects`): `numeric` writes true as `1` and holds
   * false for empty, `literal` writes `true` and `false`. Objects enter as their JSON either way.
   */
  readonly booleans: 'numeric' | 'literal';
}

/** The defaults that the outside vectors were made with. */
export const DEFAULT_SIGNATURE_SETTINGS: SignatureSettings = {
  textZero: 'kept',
  slashInList: 'escaped',
  booleans: 'numeric',
};

/** Key/value pairs to sign; values are JSON values. */
export type SignaturePairs = Readonly<Record<string, unknown>>;

/** One signature with the texts on the way to it, so that a reader can follow the six steps. */
export interface SignatureExplanation {
  /** Step 2: the keys in byte order of their untrimmed UTF-8. */
  readonly sortedKeys: readonly string[];
  /** Step 3: the keys whose value is empty and which do not enter. */
  readonly skippedKeys: readonly string[];
  /** Steps 4 and 5: the terms `key=value`, trimmed, lists as JSON. */
  readonly terms: readonly string[];
  /** Step 5: the text S, terms joined with `&`, ampersands stripped at both ends. */
  readonly canonical: string;
  /** Step 6: hexadecimal MD5 of S. */
  readonly innerMd5: string;
  /** Step 6: hexadecimal MD5 of innerMd5 followed by the signing key. */
  readonly signature: string;
}

/**
 * Signs key/value pairs and returns 32 lower-case hex digits.
 *
 * @throws FareproofError `SIGNATURE_NO_PAIRS`, `SIGNATURE_KEY_NOT_TEXT` or `SIGNATURE_VALUE_UNSUPPORTED`
 * @see interface.md, "Signature algorithm"
 */
export function sign(
  pairs: SignaturePairs,
  signingKey: string,
  settings: SignatureSettings = DEFAULT_SIGNATURE_SETTINGS,
): string {
  return explainSignature(pairs, signingKey, settings).signature;
}

/**
 * Signs key/value pairs and returns each of the six steps.
 *
 * @throws FareproofError `SIGNATURE_NO_PAIRS`, `SIGNATURE_KEY_NOT_TEXT` or `SIGNATURE_VALUE_UNSUPPORTED`
 * @see interface.md, "Signature algorithm"
 */
export function explainSignature(
  pairs: SignaturePairs,
  signingKey: string,
  settings: SignatureSettings = DEFAULT_SIGNATURE_SETTINGS,
): SignatureExplanation {
  const keys = Object.keys(pairs);
  refuseUnsignable(keys, signingKey); // step 1
  const sortedKeys = sortByBytes(keys); // step 2
  const skippedKeys = sortedKeys.filter((key) => isEmpty(pairs[key], settings)); // step 3
  const terms = sortedKeys
    .filter((key) => !isEmpty(pairs[key], settings))
    .map((key) => `${trim(key)}=${trim(valueText(key, pairs[key], settings))}`); // steps 4 and 5
  const canonical = stripAmpersands(terms.join('&')); // step 5
  const innerMd5 = hash('md5', canonical); // step 6
  const signature = hash('md5', innerMd5 + signingKey); // step 6
  return { sortedKeys, skippedKeys, terms, canonical, innerMd5, signature };
}

/** Step 1: no pairs, or a key that is no text, give no signature. */
function refuseUnsignable(keys: readonly string[], signingKey: unknown): void {
  if (keys.length === 0) {
    throw new FareproofError(
      'SIGNATURE_NO_PAIRS',
      'There are no pairs to sign; give at least one key and value.',
    );
  }
  if (typeof signingKey !== 'string') {
    throw new FareproofError(
      'SIGNATURE_KEY_NOT_TEXT',
      'The signing key is not a string; give it as text.',
    );
  }
}

const ASCII_ONLY = /^[\0-\x7f]*$/;

/** Step 2: UTF-8 bytes decide; UTF-16 units would put U+10000 and above before U+E000. */
function sortByBytes(keys: readonly string[]): string[] {
  const sorted = [...keys];
  if (sorted.every((key) => ASCII_ONLY.test(key))) return sorted.sort();
  return sorted
    .map((key) => ({ key, bytes: Buffer.from(key, 'utf8') }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ key }) => key);
}

/** Step 3: empty before trimming; the number 0 is a value. */
function isEmpty(value: unknown, settings: SignatureSettings): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (value === '0') return settings.textZero === 'skipped';
  if (value === false) return settings.booleans === 'numeric';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Step 4: a list is its compact JSON, non-ASCII as it is. */
function valueText(key: string, value: unknown, settings: SignatureSettings): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
      return String(value);
    case 'boolean':
      return settings.booleans === 'numeric' ? '1' : String(value);
    case 'object': {
      const json = JSON.stringify(value);
      return settings.slashInList === 'escaped' ? json.replaceAll('/', '\\/') : json;
    }
    default:
      throw new FareproofError(
        'SIGNATURE_VALUE_UNSUPPORTED',
        `The value of "${key}" is a ${typeof value}; only JSON values can be signed.`,
      );
  }
}

/** Step 5: ASCII whitespace only; other whitespace is text. */
function trim(text: string): string {
  return strip(text, (unit) => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d));
}

/** Step 5: however many ampersands stand at either end. */
function stripAmpersands(text: string): string {
  return strip(text, (unit) => unit === 0x26);
}

/** By index, not by pattern: `+$` is quadratic on a long run in the middle of hostile text. */
function strip(text: string, stripped: (unit: number) => boolean): string {
  let start = 0;
  let end = text.length;
  while (start < end && stripped(text.charCodeAt(start))) start++;
  while (end > start && stripped(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
