import type { Mistake, Recipe } from './recipe/recipe.ts';

const SKIP = 'Skip every pair whose value is empty; keep the number 0.';
const ZERO = 'Keep a value that is the number 0.';
const SORT = 'Sort the pairs by the bytes of their keys, in ascending order.';
const TRIM = 'Trim ASCII whitespace around key and value, after skipping empty values.';
const PLAIN = 'Sign the values as they are, before any encoding of the request.';
const TERMS = 'Form each term as `key=value` and join the terms with `&`.';
const STRIP = 'Strip `&` at both ends of the joined terms.';
const LISTS = 'Write a list as compact JSON, non-ASCII text as it is, in UTF-8.';
const BYTES = 'Hash the UTF-8 bytes of the text.';
const INNER = 'Write the inner digest in lower-case hex.';
const DIGEST = 'The signature is MD5(hex MD5(S) followed by the signing key), in hex.';
const HEX = 'Write the digest as 32 hex digits.';
const KEY = 'Append the signing key as it is, without a separator.';

/** Mistakes that do not depend on the fields of the request, the likelier first. */
export const RECIPE_MISTAKES: readonly Mistake[] = [
  ...choices('order', SORT, [
    ['as-sent', 'order-unsorted', 'is made of unsorted pairs'],
    ['ignoring-case', 'order-ignoring-case', 'is made of pairs sorted ignoring case'],
    ['ignoring-case-upper', 'order-ignoring-case-upper', 'is made of pairs sorted in upper case'],
    ['locale', 'order-locale', 'is made of pairs sorted by locale'],
    ['descending', 'order-descending', 'is made of pairs sorted in descending order'],
    ['by-value', 'order-by-value', 'is made of pairs sorted by value'],
    ['hash-map', 'order-hash-map', 'is made of pairs in the order of a Java HashMap'],
    ['as-sent-reversed', 'order-reversed', 'is made of pairs in reverse order'],
  ]),
  ...choices('empties', SKIP, [
    ['kept', 'empty-kept', 'leaves empty values in'],
    ['kept-as-null', 'empty-as-null', 'writes null for a missing value'],
    ['kept-as-none', 'empty-as-none', 'writes None for a missing value'],
  ]),
  ...choices('zero', ZERO, [['dropped', 'zero-dropped', 'leaves the number 0 out']]),
  ...choices('trimmed', TRIM, [
    ['keys-only', 'values-not-trimmed', 'leaves whitespace around values'],
    ['none', 'not-trimmed', 'leaves whitespace around keys and values'],
    ['before-skipping', 'trimmed-before-skipping', 'treats whitespace as an empty value'],
  ]),
  ...choices('values', PLAIN, [
    ['percent-encoded', 'url-encoded', 'percent-encodes values'],
    ['percent-slash-kept', 'url-encoded-slash-kept', 'percent-encodes values except `/`'],
    ['percent-marks-kept', 'url-encoded-marks-kept', "percent-encodes values except `!'()*`"],
    ['percent-lower', 'url-encoded-lower-case', 'percent-encodes values in lower-case hex'],
    ['form-encoded', 'form-encoded', 'form-encodes values, `+` for a space'],
    ['numbers-normalised', 'numbers-normalised', 'rewrites numbers in another notation'],
    ['form-lower', 'form-encoded-lower-case', 'form-encodes values in lower-case hex'],
    ['form-tilde-encoded', 'form-encoded-tilde', 'form-encodes values, including `~`'],
    ['form-star-kept', 'form-encoded-star', 'form-encodes values except `*`'],
    ['numbers-fixed', 'numbers-fixed', 'writes numbers with six decimals'],
    ['spaces-as-plus', 'spaces-as-plus', 'writes `+` for a space'],
    ['plus-as-space', 'plus-as-space', 'writes a space for `+`'],
    ['json-quoted', 'values-quoted', 'writes values as JSON texts, in quotation marks'],
    ['single-quoted', 'values-single-quoted', 'puts values in single quotation marks'],
    ['html', 'values-html', 'escapes values for HTML'],
    ['cut-at-hash', 'values-cut-at-hash', 'cuts values at `#`'],
    ['cut-at-ampersand', 'values-cut-at-ampersand', 'cuts values at `&`'],
    ['percent-twice', 'url-encoded-twice', 'percent-encodes values twice'],
    ['numbers-exponent', 'numbers-exponent', 'writes numbers with an exponent'],
    ['numbers-float', 'numbers-float', 'writes whole numbers with `.0`'],
    ['numbers-java', 'numbers-java', 'writes numbers as Java prints a double'],
  ]),
  ...choices('lists', LISTS, [
    ['escaped', 'json-escaped', 'escapes non-ASCII text in the JSON of a list'],
    ['spaced', 'json-spaced', 'puts spaces into the JSON of a list'],
    ['slashes-plain', 'json-slashes', 'leaves slashes in the JSON of a list unescaped'],
    ['comma-joined', 'list-joined', 'joins a list with commas'],
    ['python', 'list-python', 'writes a list as Python prints it'],
    ['java', 'list-java', 'writes a list as Java prints it'],
  ]),
  ...choices('terms', TERMS, [
    ['values-only', 'values-only', 'is made of the values without their keys'],
    ['joined-without-equals', 'equals-missing', 'writes no `=` between key and value'],
    ['keys-only', 'keys-only', 'is made of the keys without their values'],
    ['joined-by-colon', 'equals-colon', 'writes `:` between key and value'],
    ['json', 'json-body', 'is made of the JSON of the body'],
    ['json-sorted', 'json-sorted', 'is made of JSON with sorted keys'],
    [
      'json-spaced',
      'json-body-spaced',
      'is made of the JSON of the body with spaces, as Python writes it',
    ],
    [
      'json-spaced-sorted',
      'json-sorted-spaced',
      'is made of JSON with sorted keys and spaces, as Python writes it',
    ],
  ]),
  ...choices('joint', TERMS, [
    ['', 'joint-missing', 'joins the terms without a separator'],
    [',', 'joint-comma', 'joins the terms with commas'],
    ['|', 'joint-bar', 'joins the terms with `|`'],
    [';', 'joint-semicolon', 'joins the terms with `;`'],
    ['\n', 'joint-line-feed', 'joins the terms with line feeds'],
    ['&amp;', 'joint-html', 'joins the terms with `&amp;`'],
    ['&&', 'joint-doubled', 'joins the terms with `&&`'],
    [' ', 'joint-space', 'joins the terms with spaces'],
  ]),
  ...choices('booleans', PLAIN, [
    ['python', 'booleans-python', 'writes True and False for booleans'],
    ['words', 'booleans-words', 'writes true and false for booleans'],
  ]),
  ...choices('text', PLAIN, [
    ['percent-encoded', 'text-encoded', 'percent-encodes the whole text'],
    ['lower', 'text-lower-case', 'lower-cases the whole text'],
    ['upper', 'text-upper-case', 'upper-cases the whole text'],
    ['bom', 'text-with-bom', 'starts the text with a byte order mark'],
    ['line-feed', 'text-with-line-feed', 'ends the text with a line feed'],
    ['nfd', 'text-nfd', 'normalises the text to NFD'],
    ['nfc', 'text-nfc', 'normalises the text to NFC'],
    ['nfkc', 'text-nfkc', 'normalises the text to NFKC'],
    ['nfkd', 'text-nfkd', 'normalises the text to NFKD'],
    ['cut-at-hash', 'text-cut-at-hash', 'cuts the text at `#`'],
    ['quoted', 'text-quoted', 'puts the text in quotation marks'],
    ['without-spaces', 'text-without-spaces', 'removes spaces from the text'],
    ['reversed', 'text-reversed', 'reverses the text'],
  ]),
  ...choices('values', PLAIN, [
    ['upper', 'values-upper-case', 'upper-cases values'],
    ['lower', 'values-lower-case', 'lower-cases values'],
  ]),
  ...choices('charset', BYTES, [
    ['gbk', 'charset-gbk', 'hashes GBK bytes'],
    ['latin-1', 'charset-latin-1', 'hashes Latin-1 bytes'],
    ['utf-16le', 'charset-utf-16', 'hashes UTF-16 bytes'],
  ]),
  ...choices('ends', STRIP, [
    ['trailing-ampersand', 'trailing-ampersand', 'ends the text with `&`'],
    ['leading-ampersand', 'leading-ampersand', 'starts the text with `&`'],
    ['kept', 'ampersands-kept', 'leaves `&` at an end of the text'],
  ]),
  ...choices('inner', INNER, [
    ['upper', 'inner-upper-case', 'hashes the inner digest in upper case'],
    ['raw', 'inner-raw', 'hashes the raw bytes of the inner digest'],
  ]),
  ...choices('inner', DIGEST, [
    ['none', 'single-md5', 'is a single MD5'],
    ['twice', 'inner-hashed-twice', 'hashes the text twice before the key is appended'],
    ['base64', 'inner-base64', 'appends the key to the inner digest in Base64'],
  ]),
  ...choices('outer', DIGEST, [
    ['unkeyed', 'key-missing', 'leaves the signing key out'],
    ['hashed-again', 'hashed-thrice', 'is hashed once more at the end'],
    ['key-inside', 'key-inside', 'hashes text and signing key together, then hashes the digest'],
  ]),
  ...choices('notation', HEX, [
    ['base64', 'base64', 'is the digest in Base64'],
    ['base64-of-hex', 'base64-of-hex', 'is the hex digits in Base64'],
    ['first-half', 'first-half', 'is only the first half of the digest'],
    ['middle-half', 'middle-half', 'is only the middle half of the digest'],
  ]),
  ...choices('keyPlace', KEY, [
    ['first', 'key-first', 'puts the signing key first'],
    ['both-ends', 'key-both-ends', 'puts the signing key at both ends'],
  ]),
  ...choices('separator', KEY, [
    ['&', 'key-separator-ampersand', 'puts `&` before the signing key'],
    ['&key=', 'key-separator-name', 'puts `&key=` before the signing key'],
    ['|', 'key-separator-bar', 'puts `|` before the signing key'],
    [':', 'key-separator-colon', 'puts `:` before the signing key'],
    ['=', 'key-separator-equals', 'puts `=` before the signing key'],
    [',', 'key-separator-comma', 'puts `,` before the signing key'],
    [' ', 'key-separator-space', 'puts a space before the signing key'],
    ['\n', 'key-separator-line-feed', 'puts a line feed before the key'],
    ['+', 'key-separator-plus', 'puts `+` before the signing key'],
    ['-', 'key-separator-dash', 'puts `-` before the signing key'],
    ['_', 'key-separator-underscore', 'puts `_` before the signing key'],
    ['&signing_key=', 'key-separator-signing-key', 'puts `&signing_key=` before the signing key'],
    ['key=', 'key-separator-plain-name', 'puts `key=` before the key'],
    ['&secret=', 'key-separator-secret', 'puts `&secret=` before the key'],
  ]),
  ...choices('keyText', KEY, [
    ['md5', 'key-hashed', 'hashes the signing key first'],
    ['with-line-feed', 'key-with-line-feed', 'ends the signing key with a line feed'],
    ['with-crlf', 'key-with-crlf', 'ends the signing key with CR and LF'],
    ['with-space', 'key-with-space', 'ends the signing key with a space'],
    ['with-bom', 'key-with-bom', 'starts the signing key with a byte order mark'],
    ['quoted', 'key-quoted', 'puts the signing key in quotation marks'],
    ['single-quoted', 'key-single-quoted', 'puts the signing key in single quotation marks'],
    ['from-hex', 'key-from-hex', 'decodes the signing key from hex'],
    ['from-base64', 'key-from-base64', 'decodes the signing key from Base64'],
  ]),
  ...choices('algorithm', DIGEST, [
    ['hmac-md5', 'hmac-md5', 'is an HMAC-MD5'],
    ['hmac-md5-of-inner', 'hmac-md5-of-inner', 'is an HMAC-MD5 of the inner digest'],
    ['hmac-sha1', 'hmac-sha1', 'is an HMAC-SHA-1'],
    ['hmac-sha256', 'hmac-sha256', 'is an HMAC-SHA-256'],
    ['sha1', 'sha1', 'is made by SHA-1'],
    ['sha256', 'sha256', 'is made by SHA-256'],
    ['sha512', 'sha512', 'is made by SHA-512'],
  ]),
  ...choices('keyText', KEY, [
    ['trimmed', 'key-trimmed', 'trims the signing key'],
    ['lower', 'key-lower-case', 'lower-cases the signing key'],
    ['upper', 'key-upper-case', 'upper-cases the signing key'],
  ]),
];

/** Mistakes in one part of the recipe that share an advice. */
function choices<Part extends keyof Recipe>(
  part: Part,
  advice: string,
  wrong: readonly (readonly [value: Recipe[Part], id: string, statement: string])[],
): Mistake[] {
  return wrong.map(([value, id, statement]) => {
    const apply: Mistake['apply'] = (recipe) => ({ ...recipe, [part]: value });
    return { id, statement, advice, part, apply };
  });
}
