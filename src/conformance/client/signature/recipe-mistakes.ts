import type { Pairs, Recipe } from './recipe.ts';

/** A known way to sign wrongly: one choice of the recipe, made wrongly. */
export interface Mistake {
  /** Permanent id, such as `order-locale`. */
  readonly id: string;
  /** What the client does, to follow "the signature": "is made of unsorted pairs". */
  readonly statement: string;
  /** What to do instead. */
  readonly advice: string;
  /** The part of the recipe that it changes; two mistakes of one part exclude each other. */
  readonly part: keyof Recipe;
  readonly apply: (recipe: Recipe) => Recipe;
}

/** What else may have been signed: values that the request carries elsewhere, or carried before. */
export interface SigningContext {
  /** Fields that a client may have signed without sending, by name. */
  readonly extraFields?: Readonly<Record<string, unknown>>;
  /** Values that a field had in earlier requests, or in another form, by name. */
  readonly otherValues?: Readonly<Record<string, readonly unknown[]>>;
  /** Values that are too many to be tried beside another mistake, by name. */
  readonly manyValues?: Readonly<Record<string, readonly unknown[]>>;
  /** The body of the request as it was sent. */
  readonly bodyText?: string | undefined;
  /** Whether pairs of mistakes, which take long, are left out. */
  readonly singlesOnly?: boolean;
}

function choice<Part extends keyof Recipe>(
  part: Part,
  value: Recipe[Part],
  id: string,
  statement: string,
  advice: string,
): Mistake {
  return { id, statement, advice, part, apply: (recipe) => ({ ...recipe, [part]: value }) };
}

const SKIP = 'Skip every pair whose value is empty; keep the number 0.';
const SORT = 'Sort the pairs by the bytes of their keys, in ascending order.';
const TRIM = 'Trim ASCII whitespace around key and value, after empty values were skipped.';
const PLAIN = 'Sign the values as they are, before any encoding of the request.';
const TERMS = 'Form each term as `key=value` and join the terms with `&`.';
const LISTS = 'Write a list as compact JSON, non-ASCII text as it is, in UTF-8.';
const BYTES = 'Hash the UTF-8 bytes of the text.';
const DIGEST = 'The signature is MD5(hex MD5(S) followed by the signing key), in hex.';
const HEX = 'Write the digest as 32 hex digits.';
const KEY = 'Append the signing key as it is, with nothing between.';

/** Mistakes that do not depend on the fields of the request, the likelier first. */
export const RECIPE_MISTAKES: readonly Mistake[] = [
  choice('order', 'as-sent', 'order-unsorted', 'is made of unsorted pairs', SORT),
  choice(
    'order',
    'ignoring-case',
    'order-ignoring-case',
    'is made of pairs sorted without regard to case',
    SORT,
  ),
  choice(
    'order',
    'ignoring-case-upper',
    'order-ignoring-case-upper',
    'is made of pairs sorted as if in upper case',
    SORT,
  ),
  choice('order', 'locale', 'order-locale', 'is made of pairs sorted by a locale', SORT),
  choice('order', 'descending', 'order-descending', 'is made of pairs sorted downwards', SORT),
  choice('order', 'by-value', 'order-by-value', 'is made of pairs sorted by value', SORT),
  choice('empties', 'kept', 'empty-kept', 'leaves empty values in', SKIP),
  choice('empties', 'kept-as-null', 'empty-as-null', 'writes null for a missing value', SKIP),
  choice('empties', 'kept-as-none', 'empty-as-none', 'writes None for a missing value', SKIP),
  choice(
    'zero',
    'dropped',
    'zero-dropped',
    'leaves the number 0 out',
    'Keep a value that is the number 0.',
  ),
  choice('trimmed', 'keys-only', 'values-not-trimmed', 'leaves whitespace around values', TRIM),
  choice('trimmed', 'none', 'not-trimmed', 'leaves whitespace around keys and values', TRIM),
  choice(
    'trimmed',
    'before-skipping',
    'trimmed-before-skipping',
    'takes whitespace for an empty value',
    TRIM,
  ),
  choice('values', 'percent-encoded', 'url-encoded', 'is made of percent-encoded values', PLAIN),
  choice(
    'values',
    'percent-slash-kept',
    'url-encoded-slash-kept',
    'is made of percent-encoded values in which `/` is kept',
    PLAIN,
  ),
  choice(
    'values',
    'percent-marks-kept',
    'url-encoded-marks-kept',
    "is made of percent-encoded values in which `!'()*` are kept",
    PLAIN,
  ),
  choice(
    'values',
    'percent-lower',
    'url-encoded-lower-case',
    'is made of percent-encoded values in lower-case hex',
    PLAIN,
  ),
  choice(
    'values',
    'form-encoded',
    'form-encoded',
    'is made of form-encoded values, `+` for a space',
    PLAIN,
  ),
  choice(
    'values',
    'numbers-normalised',
    'numbers-normalised',
    'is made of numbers in another notation than the sent one',
    PLAIN,
  ),
  choice(
    'values',
    'form-tilde-encoded',
    'form-encoded-tilde',
    'is made of form-encoded values, `+` for a space and `~` encoded',
    PLAIN,
  ),
  choice(
    'values',
    'form-star-kept',
    'form-encoded-star',
    'is made of form-encoded values, `+` for a space and `*` kept',
    PLAIN,
  ),
  choice('values', 'numbers-fixed', 'numbers-fixed', 'is made of numbers with six decimals', PLAIN),
  choice('lists', 'escaped', 'json-escaped', 'escapes non-ASCII text in the JSON of a list', LISTS),
  choice('lists', 'spaced', 'json-spaced', 'puts spaces into the JSON of a list', LISTS),
  choice(
    'lists',
    'slashes-plain',
    'json-slashes',
    'writes slashes in the JSON of a list the other way than the service',
    LISTS,
  ),
  choice('lists', 'comma-joined', 'list-joined', 'joins a list with commas', LISTS),
  choice('terms', 'values-only', 'values-only', 'is made of the values without their keys', TERMS),
  choice(
    'terms',
    'joined-without-equals',
    'equals-missing',
    'writes no `=` between key and value',
    TERMS,
  ),
  choice('terms', 'keys-only', 'keys-only', 'is made of the keys without their values', TERMS),
  choice('terms', 'joined-by-colon', 'equals-colon', 'writes `:` between key and value', TERMS),
  choice('terms', 'json', 'json-body', 'is made of the JSON of the body', TERMS),
  choice('terms', 'json-sorted', 'json-sorted', 'is made of JSON with sorted keys', TERMS),
  choice(
    'terms',
    'json-spaced',
    'json-body-spaced',
    'is made of the JSON of the body as Python writes it, with spaces',
    TERMS,
  ),
  choice(
    'terms',
    'json-spaced-sorted',
    'json-sorted-spaced',
    'is made of JSON with sorted keys as Python writes it, with spaces',
    TERMS,
  ),
  choice('joint', '', 'joint-missing', 'joins the terms with nothing between', TERMS),
  choice('joint', ',', 'joint-comma', 'joins the terms with commas', TERMS),
  choice('joint', '|', 'joint-bar', 'joins the terms with `|`', TERMS),
  choice('joint', ';', 'joint-semicolon', 'joins the terms with `;`', TERMS),
  choice('joint', '\n', 'joint-line-feed', 'joins the terms with line feeds', TERMS),
  choice('text', 'percent-encoded', 'text-encoded', 'percent-encodes the whole text', PLAIN),
  choice('text', 'lower', 'text-lower-case', 'lower-cases the whole text', PLAIN),
  choice('text', 'upper', 'text-upper-case', 'upper-cases the whole text', PLAIN),
  choice('charset', 'gbk', 'charset-gbk', 'hashes GBK bytes', BYTES),
  choice('charset', 'latin-1', 'charset-latin-1', 'hashes Latin-1 bytes', BYTES),
  choice('charset', 'utf-16le', 'charset-utf-16', 'hashes UTF-16 bytes', BYTES),
  choice(
    'ends',
    'trailing-ampersand',
    'trailing-ampersand',
    'ends the text with `&`',
    'Strip `&` at both ends of the joined terms.',
  ),
  choice(
    'ends',
    'leading-ampersand',
    'leading-ampersand',
    'starts the text with `&`',
    'Strip `&` at both ends of the joined terms.',
  ),
  choice(
    'ends',
    'kept',
    'ampersands-kept',
    'leaves `&` at an end of the text',
    'Strip `&` at both ends of the joined terms.',
  ),
  choice(
    'inner',
    'upper',
    'inner-upper-case',
    'hashes the inner digest in upper case',
    'Write the inner digest in lower-case hex.',
  ),
  choice(
    'inner',
    'raw',
    'inner-raw',
    'hashes the raw bytes of the inner digest',
    'Write the inner digest in lower-case hex.',
  ),
  choice('inner', 'none', 'single-md5', 'is a single MD5', DIGEST),
  choice('outer', 'unkeyed', 'key-missing', 'leaves the signing key out', DIGEST),
  choice(
    'outer',
    'key-inside',
    'key-inside',
    'hashes the text and the signing key together, and that digest again',
    DIGEST,
  ),
  choice('notation', 'base64', 'base64', 'is the digest in Base64', HEX),
  choice('notation', 'base64-of-hex', 'base64-of-hex', 'is the hex digits in Base64', HEX),
  choice('notation', 'first-half', 'first-half', 'is the first half of the digest alone', HEX),
  choice('notation', 'middle-half', 'middle-half', 'is the middle half of the digest alone', HEX),
  choice('keyPlace', 'first', 'key-first', 'puts the signing key first', KEY),
  choice('keyPlace', 'both-ends', 'key-both-ends', 'puts the signing key at both ends', KEY),
  choice('separator', '&', 'key-separator-ampersand', 'puts `&` before the signing key', KEY),
  choice('separator', '&key=', 'key-separator-name', 'puts `&key=` before the signing key', KEY),
  choice('separator', '|', 'key-separator-bar', 'puts `|` before the signing key', KEY),
  choice('separator', ':', 'key-separator-colon', 'puts `:` before the signing key', KEY),
  choice('separator', '=', 'key-separator-equals', 'puts `=` before the signing key', KEY),
  choice('separator', ',', 'key-separator-comma', 'puts `,` before the signing key', KEY),
  choice('separator', ' ', 'key-separator-space', 'puts a space before the signing key', KEY),
  choice('separator', '\n', 'key-separator-line-feed', 'puts a line feed before the key', KEY),
  choice('separator', '+', 'key-separator-plus', 'puts `+` before the signing key', KEY),
  choice('separator', '-', 'key-separator-dash', 'puts `-` before the signing key', KEY),
  choice('separator', '_', 'key-separator-underscore', 'puts `_` before the signing key', KEY),
  choice(
    'separator',
    '&signing_key=',
    'key-separator-signing-key',
    'puts `&signing_key=` before the signing key',
    KEY,
  ),
  choice('separator', 'key=', 'key-separator-plain-name', 'puts `key=` before the key', KEY),
  choice('separator', '&secret=', 'key-separator-secret', 'puts `&secret=` before the key', KEY),
  choice('keyText', 'md5', 'key-hashed', 'hashes the signing key first', KEY),
  choice('keyText', 'from-hex', 'key-from-hex', 'decodes the signing key from hex', KEY),
  choice('keyText', 'from-base64', 'key-from-base64', 'decodes the signing key from Base64', KEY),
  choice('algorithm', 'hmac-md5', 'hmac-md5', 'is an HMAC-MD5', DIGEST),
  choice(
    'algorithm',
    'hmac-md5-of-inner',
    'hmac-md5-of-inner',
    'is an HMAC-MD5 of the inner digest',
    DIGEST,
  ),
  choice('algorithm', 'hmac-sha1', 'hmac-sha1', 'is an HMAC-SHA-1', DIGEST),
  choice('algorithm', 'hmac-sha256', 'hmac-sha256', 'is an HMAC-SHA-256', DIGEST),
  choice('algorithm', 'sha1', 'sha1', 'is made by SHA-1', DIGEST),
  choice('algorithm', 'sha256', 'sha256', 'is made by SHA-256', DIGEST),
  choice('algorithm', 'sha512', 'sha512', 'is made by SHA-512', DIGEST),
  choice('keyText', 'trimmed', 'key-trimmed', 'trims the signing key', KEY),
  choice('keyText', 'lower', 'key-lower-case', 'lower-cases the signing key', KEY),
  choice('keyText', 'upper', 'key-upper-case', 'upper-cases the signing key', KEY),
];

/** Mistakes in what was signed: a field left out, one too many, another value than the sent one. */
export function fieldMistakes(sent: Pairs, context: SigningContext): Mistake[] {
  const names = new Set(sent.map(([name]) => name));
  return [
    ...[...names].map((name) =>
      fields(
        `missing-field:${name}`,
        `leaves out the field "${name}"`,
        `Sign every field that is sent, "${name}" included.`,
        (pairs) => pairs.filter(([key]) => key !== name),
      ),
    ),
    ...Object.entries(context.extraFields ?? {})
      .filter(([name]) => !names.has(name))
      .map(([name, value]) =>
        fields(
          `extra-field:${name}`,
          `includes a field that was not sent, "${name}"`,
          `Sign the fields that are sent, and "${name}" only if it is one of them.`,
          (pairs) => [...pairs, [name, value]],
        ),
      ),
    ...otherNames(names),
    ...otherValues(context.otherValues ?? {}),
    ...(context.bodyText === undefined
      ? []
      : [
          choice(
            'text',
            { verbatim: context.bodyText },
            'body-as-sent',
            'is made of the body as it is sent',
            TERMS,
          ),
        ]),
  ];
}

/** Mistakes of which there are too many to be tried beside another one. */
export function rareMistakes(context: SigningContext): Mistake[] {
  return otherValues(context.manyValues ?? {});
}

function otherValues(given: Readonly<Record<string, readonly unknown[]>>): Mistake[] {
  return Object.entries(given).flatMap(([name, values]) =>
    values.map((value) =>
      fields(
        `other-value:${name}`,
        `covers another "${name}" than the sent one`,
        `Make "${name}" once, sign it and send the same text.`,
        (pairs) => pairs.map((pair) => (pair[0] === name ? [name, value] : pair)),
      ),
    ),
  );
}

const NAMES_TAKEN_FOR: Readonly<Record<string, readonly string[]>> = {
  _: ['timestamp', 'time', 'ts', 't'],
  nostr: ['nonce', 'nonce_str', 'noncestr', 'nonceStr'],
  auth_code: ['code', 'authCode'],
  grant_type: ['grantType', 'type'],
  refresh_token: ['refreshToken'],
};

function otherNames(sent: ReadonlySet<string>): Mistake[] {
  return Object.entries(NAMES_TAKEN_FOR).flatMap(([name, others]) =>
    sent.has(name) ? others.map((other) => renamed(name, other)) : [],
  );
}

function renamed(name: string, other: string): Mistake {
  return fields(
    `renamed-field:${name}`,
    `covers "${name}" under another name, "${other}"`,
    `Sign "${name}" under the name by which it is sent.`,
    (pairs) => pairs.map((pair) => (pair[0] === name ? [other, pair[1]] : pair)),
  );
}

function fields(
  id: string,
  statement: string,
  advice: string,
  change: (pairs: Pairs) => Pairs,
): Mistake {
  return {
    id,
    statement,
    advice,
    part: 'fields',
    apply: (recipe) => ({ ...recipe, fields: (pairs) => change(recipe.fields(pairs)) }),
  };
}
