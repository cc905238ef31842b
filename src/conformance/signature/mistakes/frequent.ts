import { createHmac, hash } from 'node:crypto';
import {
  base64,
  decimalAs,
  escapeNonAscii,
  formEncode,
  formEncodeJava,
  formEncodeTilde,
  INTEGER,
  javaDouble,
  javaHash,
  lowerHex,
  NUMBER,
  numberAs,
  percentEncode,
  percentEncodePath,
  pythonJson,
  pythonShown,
  replaced,
  reversed,
  rewritten,
  spacedJson,
  surrounded,
  upper,
} from '../notations.ts';
import {
  advised,
  byKey,
  choices,
  DOCUMENTED_RECIPE,
  type Mistake,
  type Pairs,
  type Recipe,
  withKey,
} from '../recipe.ts';
import { BYTES, DIGEST, HEX, KEY, PLAIN, SKIP, SORT, STRIP, TERMS, TRIM } from './advice.ts';
import { latin1, legacy, utf16le } from './charsets.ts';

const ZERO = 'Keep a value that is the number 0.';
const LISTS = 'Write a list as compact JSON, non-ASCII text as it is, in UTF-8.';
const INNER = 'Write the inner digest in lower-case hex.';

const HEX_KEY = /^([0-9a-f]{2})+$/i;
const BASE64_KEY = /^(?:[\w+/-]{4})+(?:[\w+/-]{2}={0,2}|[\w+/-]{3}=?)?$/;

const lower = (text: string): string => text.toLowerCase();
const cutAtHash = replaced(/#.*$/s, '');

const sortedBy = (change: (name: string) => string): Recipe['order'] =>
  byKey((a, b) => (change(a) < change(b) ? -1 : 1));

const byValue: Recipe['order'] = (pairs) =>
  [...pairs].sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1));

/** The order in which a HashMap of Java lists its keys. */
function byJavaHash(pairs: Pairs): Pairs {
  let buckets = 16;
  while (pairs.length > 0.75 * buckets) buckets *= 2;
  const bucketOf = (name: string): number => {
    const code = javaHash(name);
    return (code ^ (code >>> 16)) & (buckets - 1);
  };
  return [...pairs].sort(([a], [b]) => bucketOf(a) - bucketOf(b));
}

/** The JSON of the whole body, empty values too. */
const bodyBy =
  (write: (body: object) => string): Recipe['written'] =>
  (_signed, sent) =>
    write(Object.fromEntries(sent));

const sortedBodyBy =
  (write: (body: object) => string): Recipe['written'] =>
  (_signed, sent, { order }) =>
    write(Object.fromEntries(order(sent)));

const hmacBy =
  (algorithm: string): Recipe['outer'] =>
  (_recipe, text, key) =>
    createHmac(algorithm, key).update(text).digest('hex');

/** Names and texts of separators before the key. */
const SEPARATOR_NAMES =
  'ampersand name bar colon equals comma plus dash underscore signing-key plain-name secret space line-feed';
const SEPARATORS = [...'& &key= | : = , + - _ &signing_key= key= &secret='.split(' '), ' ', '\n'];

/** Mistakes that do not depend on the fields of the request, the likelier first; also tried in pairs. */
export const FREQUENT_MISTAKES: readonly Mistake[] = [
  ...choices('order', SORT, [
    ['order-unsorted', 'is made of unsorted pairs', (pairs) => pairs],
    ['order-ignoring-case', 'is made of pairs sorted ignoring case', sortedBy(lower)],
    ['order-ignoring-case-upper', 'is made of pairs sorted in upper case', sortedBy(upper)],
    [
      'order-locale',
      'is made of pairs sorted by locale',
      byKey((a, b) => a.localeCompare(b, 'en')),
    ],
    [
      'order-descending',
      'is made of pairs sorted in descending order',
      byKey((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a))),
    ],
    ['order-by-value', 'is made of pairs sorted by value', byValue],
    ['order-hash-map', 'is made of pairs in the order of a Java HashMap', byJavaHash],
    ['order-reversed', 'is made of pairs in reverse order', (pairs) => pairs.toReversed()],
  ]),
  ...choices('empties', SKIP, [
    ['empty-kept', 'leaves empty values in', ''],
    ['empty-as-null', 'writes null for a missing value', 'null'],
    ['empty-as-none', 'writes None for a missing value', 'None'],
  ]),
  ...choices('zero', ZERO, [['zero-dropped', 'leaves the number 0 out', 'dropped']]),
  ...choices('trimmed', TRIM, [
    ['values-not-trimmed', 'leaves whitespace around values', 'keys-only'],
    ['not-trimmed', 'leaves whitespace around keys and values', 'none'],
    ['trimmed-before-skipping', 'treats whitespace as an empty value', 'before-skipping'],
  ]),
  ...choices('values', PLAIN, [
    ['url-encoded', 'percent-encodes values', percentEncode],
    ['url-encoded-slash-kept', 'percent-encodes values except `/`', percentEncodePath],
    [
      'url-encoded-marks-kept',
      "percent-encodes values except `!'()*`",
      (text) => encodeURIComponent(Buffer.from(text).toString()),
    ],
    [
      'url-encoded-lower-case',
      'percent-encodes values in lower-case hex',
      (text) => lowerHex(percentEncode(text)),
    ],
    ['form-encoded', 'form-encodes values, `+` for a space', formEncode],
    ['numbers-normalised', 'rewrites numbers in another notation', decimalAs(Number)],
    [
      'form-encoded-lower-case',
      'form-encodes values in lower-case hex',
      (text) => lowerHex(formEncode(text)),
    ],
    ['form-encoded-tilde', 'form-encodes values, including `~`', formEncodeTilde],
    ['form-encoded-star', 'form-encodes values except `*`', formEncodeJava],
    ['numbers-fixed', 'writes numbers with six decimals', numberAs((number) => number.toFixed(6))],
    ['spaces-as-plus', 'writes `+` for a space', replaced(' ', '+')],
    ['plus-as-space', 'writes a space for `+`', replaced('+', ' ')],
    ['values-quoted', 'writes values as JSON texts, in quotation marks', JSON.stringify],
    ['values-single-quoted', 'puts values in single quotation marks', surrounded("'", "'")],
    [
      'values-html',
      'escapes values for HTML',
      (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    ],
    ['values-cut-at-hash', 'cuts values at `#`', cutAtHash],
    ['values-cut-at-ampersand', 'cuts values at `&`', replaced(/&.*$/s, '')],
    [
      'url-encoded-twice',
      'percent-encodes values twice',
      (text) => percentEncode(percentEncode(text)),
    ],
    [
      'numbers-exponent',
      'writes numbers with an exponent',
      decimalAs((number) => number.toExponential()),
    ],
    ['numbers-float', 'writes whole numbers with `.0`', rewritten(INTEGER, surrounded('', '.0'))],
    ['numbers-java', 'writes numbers as Java prints a double', rewritten(NUMBER, javaDouble)],
  ]),
  ...choices('lists', LISTS, [
    [
      'json-escaped',
      'escapes non-ASCII text in the JSON of a list',
      (value, slash) => escapeNonAscii(JSON.stringify(value)).replaceAll('/', slash),
    ],
    ['json-spaced', 'puts spaces into the JSON of a list', spacedJson],
    ['list-joined', 'joins a list with commas', (value) => Object.values(value).join(',')],
    ['list-python', 'writes a list as Python prints it', pythonShown],
    [
      'list-java',
      'writes a list as Java prints it',
      (value) => `[${Object.values(value).map(String).join(', ')}]`,
    ],
  ]),
  ...choices('terms', TERMS, [
    ['values-only', 'is made of the values without their keys', (_name, value) => value],
    ['equals-missing', 'writes no `=` between key and value', (name, value) => name + value],
    ['keys-only', 'is made of the keys without their values', (name) => name],
    ['equals-colon', 'writes `:` between key and value', (name, value) => `${name}:${value}`],
  ]),
  ...choices('written', TERMS, [
    ['json-body', 'is made of the JSON of the body', bodyBy(JSON.stringify)],
    ['json-sorted', 'is made of JSON with sorted keys', sortedBodyBy(JSON.stringify)],
    [
      'json-body-spaced',
      'is made of the JSON of the body with spaces, as Python writes it',
      bodyBy(pythonJson),
    ],
    [
      'json-sorted-spaced',
      'is made of JSON with sorted keys and spaces, as Python writes it',
      sortedBodyBy(pythonJson),
    ],
  ]),
  ...choices('joint', TERMS, [
    ['joint-missing', 'joins the terms without a separator', ''],
    ['joint-comma', 'joins the terms with commas', ','],
    ['joint-bar', 'joins the terms with `|`', '|'],
    ['joint-semicolon', 'joins the terms with `;`', ';'],
    ['joint-line-feed', 'joins the terms with line feeds', '\n'],
    ['joint-html', 'joins the terms with `&amp;`', '&amp;'],
    ['joint-doubled', 'joins the terms with `&&`', '&&'],
    ['joint-space', 'joins the terms with spaces', ' '],
  ]),
  ...advised(TERMS, [
    [
      'terms-run-together',
      'writes neither `=` nor `&`',
      { terms: (name, value) => name + value, joint: '' },
    ],
    [
      'values-run-together',
      'is made of the values only, without a separator',
      { terms: (_name, value) => value, joint: '' },
    ],
  ]),
  ...choices('booleans', PLAIN, [
    ['booleans-python', 'writes True and False for booleans', ['True', 'False']],
  ]),
  ...choices('text', PLAIN, [
    ['text-encoded', 'percent-encodes the whole text', percentEncode],
    ['text-lower-case', 'lower-cases the whole text', lower],
    ['text-upper-case', 'upper-cases the whole text', upper],
    ['text-with-bom', 'starts the text with a byte order mark', surrounded('\ufeff')],
    ['text-with-line-feed', 'ends the text with a line feed', surrounded('', '\n')],
    ['text-nfd', 'normalises the text to NFD', (text) => text.normalize('NFD')],
    ['text-nfc', 'normalises the text to NFC', (text) => text.normalize('NFC')],
    ['text-nfkc', 'normalises the text to NFKC', (text) => text.normalize('NFKC')],
    ['text-nfkd', 'normalises the text to NFKD', (text) => text.normalize('NFKD')],
    ['text-cut-at-hash', 'cuts the text at `#`', cutAtHash],
    ['text-quoted', 'puts the text in quotation marks', surrounded('"', '"')],
    ['text-without-spaces', 'removes spaces from the text', replaced(/\s/g, '')],
    ['text-reversed', 'reverses the text', reversed],
  ]),
  ...choices('values', PLAIN, [
    ['values-upper-case', 'upper-cases values', upper],
    ['values-lower-case', 'lower-cases values', lower],
  ]),
  ...choices('charset', BYTES, [
    // Before other charsets, which write `?` too for what they lack.
    [
      'beyond-ascii-as-question',
      'writes ? for characters beyond ASCII',
      (text) => Buffer.from(text.replace(/[^\0-\x7f]/gu, '?')),
    ],
    ['charset-gbk', 'hashes GBK bytes', legacy('gbk')],
    ['charset-latin-1', 'hashes Latin-1 bytes', latin1],
    ['charset-utf-16', 'hashes UTF-16 bytes', utf16le],
  ]),
  ...choices('ends', STRIP, [
    ['trailing-ampersand', 'ends the text with `&`', surrounded('', '&')],
    ['leading-ampersand', 'starts the text with `&`', surrounded('&')],
    ['ampersands-kept', 'leaves `&` at an end of the text', (text) => text],
  ]),
  ...choices('inner', INNER, [
    [
      'inner-upper-case',
      'hashes the inner digest in upper case',
      (text, digest) => digest(text).toUpperCase(),
    ],
    [
      'inner-raw',
      'hashes the raw bytes of the inner digest',
      (text, digest) => Buffer.from(digest(text), 'hex'),
    ],
  ]),
  ...choices('inner', DIGEST, [
    ['single-md5', 'is a single MD5', (text) => text],
    [
      'inner-hashed-twice',
      'hashes the text twice before the key is appended',
      (text, digest) => digest(digest(text)),
    ],
    [
      'inner-base64',
      'appends the key to the inner digest in Base64',
      (text, digest) => base64(digest(text)),
    ],
  ]),
  ...choices('outer', DIGEST, [
    [
      'key-missing',
      'leaves the signing key out',
      ({ hash: digest, inner }, text) => digest(inner(text, digest)),
    ],
    [
      'hashed-thrice',
      'is hashed once more at the end',
      (recipe, ...rest) => recipe.hash(DOCUMENTED_RECIPE.outer(recipe, ...rest)),
    ],
    [
      'key-inside',
      'hashes text and signing key together, then hashes the digest',
      (recipe, text, key) => recipe.hash(recipe.hash(withKey(recipe, text, key))),
    ],
  ]),
  ...choices('notation', HEX, [
    ['base64', 'is the digest in Base64', base64],
    ['base64-of-hex', 'is the hex digits in Base64', (hex) => Buffer.from(hex).toString('base64')],
    ['first-half', 'is only the first half of the digest', (hex) => hex.slice(0, hex.length / 2)],
    [
      'middle-half',
      'is only the middle half of the digest',
      (hex) => hex.slice(hex.length / 4, (hex.length * 3) / 4),
    ],
  ]),
  ...choices('keyPlace', KEY, [
    [
      'key-first',
      'puts the signing key first',
      (hashed, separator, key) => [key, separator, hashed],
    ],
    [
      'key-both-ends',
      'puts the signing key at both ends',
      (hashed, separator, key) => [key, separator, hashed, separator, key],
    ],
  ]),
  ...choices(
    'separator',
    KEY,
    SEPARATORS.map((text, at) => [
      `key-separator-${SEPARATOR_NAMES.split(' ')[at]}`,
      `puts ${JSON.stringify(text)} before the signing key`,
      text,
    ]),
  ),
  ...choices('keyText', KEY, [
    ['key-hashed', 'hashes the signing key first', (key) => hash('md5', key)],
    ['key-with-line-feed', 'ends the signing key with a line feed', surrounded('', '\n')],
    ['key-with-crlf', 'ends the signing key with CR and LF', surrounded('', '\r\n')],
    ['key-with-space', 'ends the signing key with a space', surrounded('', ' ')],
    ['key-with-bom', 'starts the signing key with a byte order mark', surrounded('\ufeff')],
    ['key-quoted', 'puts the signing key in quotation marks', surrounded('"', '"')],
    ['key-single-quoted', 'puts the signing key in single quotation marks', surrounded("'", "'")],
    [
      'key-from-hex',
      'decodes the signing key from hex',
      (key) => (HEX_KEY.test(key) ? Buffer.from(key, 'hex') : null),
    ],
    [
      'key-from-base64',
      'decodes the signing key from Base64',
      (key) => (BASE64_KEY.test(key) ? Buffer.from(key, 'base64') : null),
    ],
  ]),
  ...choices('outer', DIGEST, [
    ['hmac-md5', 'is an HMAC-MD5', hmacBy('md5')],
    [
      'hmac-md5-of-inner',
      'is an HMAC-MD5 of the inner digest',
      (recipe, text, key) => hmacBy('md5')(recipe, Buffer.from(recipe.hash(text)), key),
    ],
    ['hmac-sha1', 'is an HMAC-SHA-1', hmacBy('sha1')],
    ['hmac-sha256', 'is an HMAC-SHA-256', hmacBy('sha256')],
  ]),
  ...choices('hash', DIGEST, [
    ['sha1', 'is made by SHA-1', (bytes) => hash('sha1', bytes)],
    ['sha256', 'is made by SHA-256', (bytes) => hash('sha256', bytes)],
    ['sha512', 'is made by SHA-512', (bytes) => hash('sha512', bytes)],
  ]),
  ...choices('keyText', KEY, [
    ['key-trimmed', 'trims the signing key', (key) => key.trim()],
    ['key-lower-case', 'lower-cases the signing key', lower],
    ['key-upper-case', 'upper-cases the signing key', upper],
  ]),
];
