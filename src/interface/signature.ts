import { hash } from 'node:crypto';
import { ConfigurationError, FareproofError } from './errors.ts';
import { checkOptions, type OptionTableOf } from './options.ts';

/**
 * Answers to the gaps that the signature algorithm leaves open; the defaults are those of
 * {@link DEFAULT_SIGNATURE_SETTINGS} (interface.md, "Signature algorithm", steps 3 and 4).
 */
export interface SignatureSettings {
  /** Treatment of the text `"0"`: kept like the number 0, or skipped (gap `text-zero-signed`). */
  readonly textZero: 'kept' | 'skipped';
  /** Spelling of a slash in the JSON of a list: `\/` or `/` (gap `slash-in-list`). */
  readonly slashInList: 'escaped' | 'plain';
  /**
   * Spelling of booleans (gap `signed-booleans-and-objects`): `numeric` writes true as `1` and
   * skips false as empty, `literal` writes `true` and `false`. Objects enter as JSON in both.
   */
  readonly booleans: 'numeric' | 'literal';
  /**
   * Characters that are trimmed (gap `whitespace-trimmed`): whitespace of ASCII, or of Unicode, or
   * what `trim` of PHP takes.
   */
  readonly whitespace: 'ascii' | 'unicode' | 'php';
  /**
   * Treatment of null and of empty lists and objects (gap `null-and-empty-list-signed`): skipped, or
   * only null is skipped (`lists`), or both enter as JSON.
   */
  readonly emptyValues: 'skipped' | 'lists' | 'both';
}

/** The defaults, with which the vectors of the independent oracle were made. */
export const DEFAULT_SIGNATURE_SETTINGS: SignatureSettings = {
  textZero: 'kept',
  slashInList: 'escaped',
  booleans: 'numeric',
  whitespace: 'ascii',
  emptyValues: 'skipped',
};

const SETTING_NAMES = {
  textZero: true,
  slashInList: true,
  booleans: true,
  whitespace: true,
  emptyValues: true,
} satisfies OptionTableOf<SignatureSettings>;

/** Key/value pairs to sign; values are JSON values. */
export type SignaturePairs = Readonly<Record<string, unknown>>;

/** A signature with the intermediate text of each of the six steps. */
export interface SignatureExplanation {
  /** Step 2: the keys in byte order of their untrimmed UTF-8. */
  readonly sortedKeys: readonly string[];
  /** Step 3: the keys that are left out because their value is empty. */
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
 * Requires MD5, without which nothing can be signed or judged; call it before anything is sent or served.
 *
 * @param digest default that of Node.js
 * @throws ConfigurationError `MD5_MISSING`
 */
export function requireMd5(digest: (algorithm: string, text: string) => unknown = hash): void {
  try {
    digest('md5', '');
  } catch (cause) {
    throw new ConfigurationError(
      'MD5_MISSING',
      'this Node.js has no MD5, which the signatures of the interface are made of, as in FIPS mode; run fareproof where the policy for OpenSSL allows MD5.',
      { cause },
    );
  }
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
  checkOptions(settings, SETTING_NAMES);
  const keys = Object.keys(pairs);
  refuseUnsignable(keys, signingKey); // step 1
  const sortedKeys = sortByBytes(keys); // step 2
  const skippedKeys = sortedKeys.filter((key) => isEmpty(pairs[key], settings)); // step 3
  const terms = sortedKeys
    .filter((key) => !isEmpty(pairs[key], settings))
    .map((key) => `${trim(key, settings)}=${trim(valueText(key, pairs[key], settings), settings)}`); // steps 4 and 5
  const canonical = stripAmpersands(terms.join('&')); // step 5
  const innerMd5 = hash('md5', canonical); // step 6
  const signature = hash('md5', innerMd5 + signingKey); // step 6
  return { sortedKeys, skippedKeys, terms, canonical, innerMd5, signature };
}

/** Step 1: without pairs, or with a key that is not a string, there is no signature. */
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

/** Step 2: sorts by UTF-8 bytes; UTF-16 units would put U+10000 and above before U+E000. */
function sortByBytes(keys: readonly string[]): string[] {
  const sorted = [...keys];
  if (sorted.every((key) => ASCII_ONLY.test(key))) return sorted.sort();
  return sorted
    .map((key) => ({ key, bytes: Buffer.from(key, 'utf8') }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ key }) => key);
}

/** Step 3: judged before trimming; the number 0 is not empty. */
function isEmpty(value: unknown, settings: SignatureSettings): boolean {
  if (value === undefined || value === '') return true;
  if (value === null) return settings.emptyValues !== 'both';
  if (value === '0') return settings.textZero === 'skipped';
  if (value === false) return settings.booleans === 'numeric';
  if (typeof value !== 'object' || Object.keys(value).length > 0) return false;
  return settings.emptyValues !== 'lists' && settings.emptyValues !== 'both';
}

/** Step 4: text of a value; a list is its compact JSON, with non-ASCII text unescaped. */
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

/** Step 5: trims whitespace; by default that of ASCII. */
function trim(text: string, { whitespace }: SignatureSettings): string {
  if (whitespace === 'unicode') return text.trim();
  return strip(text, whitespace === 'php' ? isPhpWhitespace : isAsciiWhitespace);
}

function isAsciiWhitespace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

function isPhpWhitespace(unit: number): boolean {
  return unit === 0 || (unit !== 0x0c && isAsciiWhitespace(unit));
}

/** Step 5: strips all ampersands at both ends. */
function stripAmpersands(text: string): string {
  return strip(text, (unit) => unit === 0x26);
}

/** Works by index: the pattern `+$` takes quadratic time on a long run inside hostile text. */
function strip(text: string, stripped: (unit: number) => boolean): string {
  let start = 0;
  let end = text.length;
  while (start < end && stripped(text.charCodeAt(start))) start++;
  while (end > start && stripped(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
