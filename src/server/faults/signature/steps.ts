import { type Broken, because, type FaultDefinition, type FaultForms, fault } from '../fault.ts';
import { type Pair, type SigningRecipe, signingBy, trimAscii } from '../signing-recipe.ts';

const KNOWN = ['grant_type', 'scope', '_', 'nostr', 'refresh_token', 'auth_code'];

/** A service that signs by an altered recipe. */
function by(how: string, recipe: SigningRecipe, breaks: readonly Broken[] = []): FaultDefinition {
  return fault(how, { tokenSigner: () => signingBy(recipe) }, breaks);
}

const REFUSES_ALL = because(
  'the fields of every token request stand in another order',
  'signature/valid-accepted',
);

/** Orders pairs by another text than their name. */
function byText(textOf: (name: string, value: unknown) => string): SigningRecipe {
  const compare = (a: Pair, b: Pair): number => {
    const [one, other] = [textOf(...a), textOf(...b)];
    return one < other ? -1 : Number(one > other);
  };
  return { order: compare };
}

const withList = (list: (value: readonly unknown[]) => unknown): SigningRecipe => ({
  list: (value) => {
    const text = list(value);
    return typeof text === 'string' ? text : slashed(text);
  },
});

/** JSON of a list with its slashes escaped, as the default of the gap `slash-in-list`. */
function slashed(value: unknown): string {
  return JSON.stringify(value).replaceAll('/', String.raw`\/`);
}

function escaped(text: string, pattern: RegExp): string {
  return text.replace(pattern, (one) =>
    one
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

const isBlank = (value: unknown): boolean => value === '' || value === null;
const isEmptyValue = (value: unknown): boolean =>
  isBlank(value) ||
  value === false ||
  (typeof value === 'object' && Object.keys(value as object).length === 0);

/** Steps of the signature algorithm that are done otherwise, for every value or for some. */
export const SIGNATURE_STEP_FORMS: FaultForms = {
  'signature/key-order#case-folded': by(
    'Keys are sorted without regard to case.',
    byText((name) => name.toLowerCase()),
  ),
  'signature/key-order#natural': by('Digits in keys are sorted as numbers.', {
    order: ([a], [b]) => a.localeCompare(b, 'en', { numeric: true, caseFirst: 'upper' }),
  }),
  'signature/key-order#whole-numbers-first': by(
    'Keys that are whole numbers come first, by their number.',
    byText((name) => (/^\d+$/.test(name) ? `!${name.padStart(20, '0')}` : name)),
  ),
  'signature/key-order#by-term': by(
    'The terms `key=value` are sorted, not the keys.',
    byText((name, value) => `${name}=${String(value)}`),
  ),
  'signature/key-order#by-value': by(
    'Pairs are sorted by value.',
    byText((_, value) => String(value)),
    REFUSES_ALL,
  ),
  'signature/key-order#descending': by(
    'Keys are sorted in descending order.',
    { order: ([a], [b]) => (a < b ? 1 : Number(a > b) * -1) },
    REFUSES_ALL,
  ),
  'signature/key-order#by-length': by(
    'Shorter keys come first.',
    byText((name) => String(name.length).padStart(4, '0') + name),
    REFUSES_ALL,
  ),
  'signature/key-order#underscore-first': by(
    'An underscore is sorted before every other character.',
    byText((name) => name.replaceAll('_', ' ')),
  ),
  'signature/key-order#underscore-last': by(
    'An underscore is sorted after every other character.',
    byText((name) => name.replaceAll('_', '~')),
    REFUSES_ALL,
  ),
  'signature/key-order#first-letter': by(
    'Keys are sorted by their first character only.',
    byText((name) => name.slice(0, 1)),
  ),
  'signature/key-order#known-first': by(
    'The fields of the interface come before all others.',
    byText((name) => (KNOWN.includes(name) ? `0${name}` : `1${name}`)),
  ),
  'signature/key-order#accents-folded': by(
    'Accents do not count in the order of keys.',
    byText((name) => name.normalize('NFD').replace(/\p{M}/gu, '')),
  ),
  'signature/key-order#trimmed-first': by(
    'Keys are sorted once they are trimmed.',
    byText((name) => trimAscii(name)),
  ),
  'signature/empty-skipped#unknown-fields-kept': by('Empty fields beyond the six enter.', {
    skips: (value, name) => isEmptyValue(value) && KNOWN.includes(name),
  }),
  'signature/empty-skipped#text-kept': by('An empty text enters as `key=`.', {
    skips: (value) => value !== '' && isEmptyValue(value),
  }),
  'signature/empty-skipped#name-kept': by('Of an empty pair the name enters.', {
    skips: (value) => value !== '' && isEmptyValue(value),
    term: (name, text) => (text === '' ? name : `${name}=${text}`),
  }),
  'signature/empty-skipped#scope-kept': by('An empty scope enters as `scope=`.', {
    skips: (value, name) => name !== 'scope' && isEmptyValue(value),
  }),
  'signature/zero-kept#as-empty': by('The number 0 enters as `key=`.', {
    number: (value) => (value === 0 ? '' : String(value)),
  }),
  'signature/zero-kept#as-float': by('The number 0 enters as `0.0`.', {
    number: (value) => (value === 0 ? '0.0' : String(value)),
  }),
  'signature/zero-kept#as-false': by('The number 0 enters as `false`.', {
    number: (value) => (value === 0 ? 'false' : String(value)),
  }),
  'signature/zero-kept#numbers-skipped': by('Every number is skipped.', {
    skips: (value) => typeof value === 'number' || isEmptyValue(value),
  }),
  'signature/trimmed#left-only': by('Whitespace at the end stays.', trimming(/^[\t-\r ]+/)),
  'signature/trimmed#right-only': by('Whitespace at the start stays.', trimming(/[\t-\r ]+$/)),
  'signature/trimmed#one-character': by(
    'One character of whitespace is trimmed at each end.',
    trimming(/^[\t-\r ]|[\t-\r ]$/g),
  ),
  'signature/trimmed#names-stay': by('Only values are trimmed.', { trimName: (name) => name }),
  'signature/trimmed#values-stay': by('Only keys are trimmed.', { trimValue: (text) => text }),
  'signature/trimmed#known-fields-only': by('Only values of the six fields are trimmed.', {
    trimValue: (text, name) => (KNOWN.includes(name) ? trimAscii(text) : text),
  }),
  'signature/trimmed#inner-too': by('Whitespace inside of a value is dropped.', {
    trimValue: (text) => text.replace(/[\t-\r ]+/g, ''),
  }),
  'signature/trimmed#quotes-too': by('Quotation marks are trimmed with whitespace.', {
    trimValue: (text) => trimAscii(text).replace(/^["']+|["']+$/g, ''),
  }),
  'signature/array-json#spaced': by(
    'The JSON of a list has a space after each comma.',
    withList((list) => slashed(list).replaceAll(',', ', ')),
  ),
  'signature/array-json#escaped': by(
    'Non-ASCII text in a list enters as `\\uXXXX`.',
    withList((list) => escaped(slashed(list), /[^\0-\x7f]/g)),
  ),
  'signature/array-json#latin-1-escaped': by(
    'Characters of Latin-1 beyond ASCII enter as `\\uXXXX` in a list.',
    withList((list) => escaped(slashed(list), /[\x80-\xff]/g)),
  ),
  'signature/array-json#beyond-bmp-escaped': by(
    'Characters beyond U+FFFF enter as `\\uXXXX` in a list.',
    withList((list) => escaped(slashed(list), /[\ud800-\udfff]/g)),
  ),
  'signature/array-json#sorted': by(
    'The elements of a list are sorted.',
    withList((list) => list.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))),
  ),
  'signature/array-json#reversed': by(
    'The elements of a list are reversed.',
    withList((list) => list.toReversed()),
  ),
  'signature/array-json#deduplicated': by(
    'An element that occurs twice enters once.',
    withList((list) => [...new Set(list)]),
  ),
  'signature/array-json#flattened': by(
    'A list in a list is flattened.',
    withList((list) => list.flat(9)),
  ),
  'signature/array-json#numbers-as-text': by(
    'Numbers in a list enter as texts.',
    withList((list) => list.map((one) => (typeof one === 'number' ? String(one) : one))),
  ),
  'signature/array-json#texts-as-numbers': by(
    'Digits in a list enter as numbers.',
    withList((list) =>
      list.map((one) => (typeof one === 'string' && /^\d{1,9}$/.test(one) ? Number(one) : one)),
    ),
  ),
  'signature/array-json#first-only': by(
    'Of a list the first element enters.',
    withList((list) => String(list[0])),
  ),
  'signature/array-json#word': by(
    'A list enters as the word `Array`.',
    withList(() => 'Array'),
  ),
  'signature/array-json#without-quotes': by(
    'The texts of a list enter without quotation marks.',
    withList((list) => `[${list.map(String).join(',')}]`),
  ),
  'signature/array-json#joined-by-spaces': by(
    'A list enters as its elements joined by spaces.',
    withList((list) => list.map(String).join(' ')),
  ),
  'signature/array-json#skipped': by('A list is skipped.', {
    skips: (value) => Array.isArray(value) || isEmptyValue(value),
  }),
  'signature/array-json#elements-trimmed': by(
    'The texts of a list are trimmed.',
    withList((list) => list.map((one) => (typeof one === 'string' ? trimAscii(one) : one))),
  ),
  'signature/array-json#empty-elements-dropped': by(
    'Empty elements of a list are dropped.',
    withList((list) => list.filter((one) => !isBlank(one))),
  ),
  'signature/array-json#one-element-bare': by(
    'A list of one element enters as that element.',
    withList((list) => (list.length === 1 ? String(list[0]) : list)),
  ),
  'signature/utf8#latin-1': by('Text that fits enters in Latin-1.', {
    encode: (text) => Buffer.from(text, /[^\0-\xff]/.test(text) ? 'utf8' : 'latin1'),
  }),
  'signature/utf8#utf-16': by('Text beyond ASCII enters in UTF-16.', {
    encode: (text) => Buffer.from(text, /[^\0-\x7f]/.test(text) ? 'utf16le' : 'utf8'),
  }),
  'signature/utf8#composed': by('Text enters in normal form C.', {
    encode: (text) => text.normalize('NFC'),
  }),
  'signature/utf8#decomposed': by('Text enters in normal form D.', {
    encode: (text) => text.normalize('NFD'),
  }),
  'signature/utf8#compatible': by('Text enters in normal form KC.', {
    encode: (text) => text.normalize('NFKC'),
  }),
  'signature/utf8#three-bytes-at-most': by('A character beyond U+FFFF enters as U+FFFD.', {
    encode: (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
  }),
  'signature/utf8#dropped': by('Characters beyond ASCII are dropped.', {
    encode: (text) => text.replace(/[^\0-\x7f]/g, ''),
  }),
  'signature/utf8#escaped': by('Characters beyond ASCII enter as `\\uXXXX`.', {
    encode: (text) => escaped(text, /[^\0-\x7f]/g),
  }),
  'signature/utf8#percent-encoded': by('Characters beyond ASCII enter percent-encoded.', {
    encode: (text) => text.replace(/[^\0-\x7f]+/g, encodeURIComponent),
  }),
  'signature/utf8#twice': by('Text is encoded twice.', {
    encode: (text) => Buffer.from(text, 'utf8').toString('latin1'),
  }),
  'signature/utf8#lower-case': by('Letters beyond ASCII enter in lower case.', {
    encode: (text) => text.replace(/[^\0-\x7f]+/g, (some) => some.toLowerCase()),
  }),
  'signature/ampersands-stripped#leading-only': by('Trailing `&` stay.', {
    strip: (joined) => joined.replace(/^&+/, ''),
  }),
  'signature/ampersands-stripped#trailing-only': by('Leading `&` stay.', {
    strip: (joined) => joined.replace(/(?<!&)&+$/, ''),
  }),
  'signature/ampersands-stripped#one-at-each-end': by('One `&` is stripped at each end.', {
    strip: (joined) => joined.replace(/^&|&$/g, ''),
  }),
  'signature/ampersands-stripped#doubled-inside': by('Several `&` inside become one.', {
    strip: (joined) => joined.replace(/^&+|&+$/g, '').replace(/&{2,}/g, '&'),
  }),
  'signature/ampersands-stripped#of-each-term': by('Each term is stripped of `&`.', {
    term: (name, text) => `${name}=${text}`.replace(/^&+|&+$/g, ''),
  }),
  'signature/ampersands-stripped#encoded-inside': by('An `&` inside of a value enters as `%26`.', {
    trimValue: (text) => trimAscii(text).replace(/&(?!&*$)/g, '%26'),
  }),
  'signature/valid-accepted#plus-as-space': values('A `+` enters as a space.', (text) =>
    text.replaceAll('+', ' '),
  ),
  'signature/valid-accepted#percent-decoded': values('`%XX` enters decoded.', (text) =>
    text.replace(/%([2-7][0-9A-Fa-f])/g, (_, hex: string) =>
      String.fromCharCode(parseInt(hex, 16)),
    ),
  ),
  'signature/valid-accepted#html-escaped': values('`<` enters as `&lt;`.', (text) =>
    text.replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ),
  'signature/valid-accepted#cut-at-equals': values('A value is cut at `=`.', (text) =>
    text.replace(/=.*$/s, ''),
  ),
  'signature/valid-accepted#cut-at-hash': values('A value is cut at `#`.', (text) =>
    text.replace(/#.*$/s, ''),
  ),
  'signature/valid-accepted#backslashes-doubled': values('A backslash enters twice.', (text) =>
    text.replaceAll('\\', '\\\\'),
  ),
  'signature/valid-accepted#lower-case': fault(
    'Values enter in lower case.',
    { tokenSigner: () => signingBy({ text: (text) => text.toLowerCase() }) },
    because(
      'a value in upper case is refused with its right signature, and its case is not signed',
      'token/nostr-case',
      'signature/covers-fields',
    ),
  ),
  'signature/valid-accepted#integers-of-32-bits': by('A number enters cut to 32 bits.', {
    number: (value) => String(value | 0),
  }),
  'signature/valid-accepted#numbers-as-floats': by('A whole number enters as `1.0`.', {
    number: (value) => (value === 0 ? '0' : value.toFixed(1)),
  }),
  'signature/valid-accepted#cut-at-255': values('A value is cut after 255 characters.', (text) =>
    text.slice(0, 255),
  ),
};

function trimming(pattern: RegExp): SigningRecipe {
  const trim = (text: string): string => text.replace(pattern, '');
  return { trimName: trim, trimValue: trim };
}

function values(how: string, text: (text: string) => string): FaultDefinition {
  return by(how, { text });
}
