import {
  DECIMAL,
  decimalAs,
  INTEGER,
  NUMBER,
  numberAs,
  PRINTED,
  percentDecode,
  replaced,
  rewritten,
  surrounded,
  type TextChange,
  unitEscape,
  upperEscape,
  wellFormed,
} from '../notations.ts';
import {
  advised,
  alike,
  choices,
  DOCUMENTED_RECIPE,
  type Mistake,
  type MistakeRow,
  type TextRow,
} from '../recipe.ts';
import { PLAIN, TRIM } from './advice.ts';
import { FREQUENT_MISTAKES } from './frequent.ts';

/** Digits of the exact value of a coordinate as a double. */
const EXACT_DIGITS = 60;

/** A character beyond ASCII. */
const BEYOND_ASCII = /[^\0-\x7f]/gu;

/** `unicode_escape` of Python, which writes two digits where they suffice. */
const shortEscape = (unit: string): string => unitEscape(unit).replace('u00', 'x');

type Rounding = (number: number, digits: number) => string;

/** A number that is moved by powers of ten in its notation, which is exact. */
const byStep =
  (round: (number: number) => number): Rounding =>
  (number, digits) =>
    Number(`${round(Number(`${number}e${digits}`))}e-${digits}`).toFixed(digits);

/** Ways to leave digits of a decimal out, or to add some. */
const ROUNDINGS: readonly (readonly [words: string, round: Rounding])[] = [
  ['rounded', (number, digits) => number.toFixed(digits)],
  ['rounded half up', byStep(Math.round)],
  ['cut', byStep(Math.trunc)],
  ['rounded up', byStep(Math.ceil)],
  ['of single precision', (number, digits) => Math.fround(number).toFixed(digits)],
];

/** Decimals with so many digits, with final zeros and without. */
const ROUNDED: readonly TextRow[] = ROUNDINGS.flatMap(([words, round]) =>
  [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((digits): TextRow[] => [
    [
      digits === 0 ? 'decimals-truncated' : 'decimals-fixed',
      `writes decimals with ${digits} digits after the point, ${words}`,
      decimalAs((number) => round(number, digits)),
    ],
    [
      'decimals-rounded',
      `writes decimals with at most ${digits} digits, ${words}`,
      decimalAs((number) => Number(round(number, digits))),
    ],
  ]),
);

/** Changes of each value, by id. */
const VALUES: readonly TextRow[] = [
  ['url-encoded-as-uri', 'encodes values by encodeURI', (text) => encodeURI(wellFormed(text))],
  ['url-encoded-by-escape', 'encodes values by escape', escaped],
  [
    'url-encoded-beyond-ascii',
    'percent-encodes only characters beyond ASCII',
    replaced(/[^\0-\x7f]+/g, (part) => encodeURIComponent(wellFormed(part))),
  ],
  ['spaces-encoded', 'writes %20 for a space', replaced(' ', '%20')],
  ['spaces-removed', 'removes spaces from values', replaced(/\s/g, '')],
  ['spaces-as-underscore', 'writes `_` for a space', replaced(' ', '_')],
  ['spaces-joined', 'writes one space for several', replaced(/\s+/g, ' ')],
  ['line-breaks', 'writes LF for CRLF in values', replaced('\r\n', '\n')],
  ['line-breaks', 'writes CRLF for LF in values', replaced(/\r?\n/g, '\r\n')],
  [
    'values-as-names',
    'writes values as names of constants, in upper case with `_` for `-`',
    (text) => text.toUpperCase().replaceAll('-', '_'),
  ],
  [
    'values-capitalized',
    'begins values with a capital letter',
    (text) => text.slice(0, 1).toUpperCase() + text.slice(1),
  ],
  ['values-cut-at-space', 'cuts values at a space', replaced(/\s.*$/s, '')],
  ['values-decoded', 'percent-decodes values', percentDecode],
  ['values-decoded', 'form-decodes values', (text) => percentDecode(text.replaceAll('+', ' '))],
  ['values-html-decoded', 'writes `&` for `&amp;` in values', replaced('&amp;', '&')],
  ['values-cut', 'cuts values at 255 characters', (text) => text.slice(0, 255)],
  ['zero-rewritten', 'writes an empty value for 0', (text) => (text === '0' ? '' : text)],
  ['zero-rewritten', 'writes false for 0', (text) => (text === '0' ? 'false' : text)],
  ['ampersands-removed', 'removes `&` from values', replaced('&', '')],
  ['values-unquoted', 'removes quotation marks from values', replaced(/["']/g, '')],
  ['values-unquoted', 'removes backslashes from values', replaced('\\', '')],
  [
    'signs-removed',
    'removes all but letters and digits from values',
    replaced(/[^\p{L}\p{N}]/gu, ''),
  ],
  [
    'punctuation-removed',
    'removes punctuation and spaces from values',
    replaced(/[^\p{L}\p{N}_.:-]/gu, ''),
  ],
  ...[unitEscape, upperEscape, shortEscape].map(
    (escape): TextRow => [
      'values-unicode-escaped',
      `escapes characters beyond ASCII in values, é as ${escape('é')}`,
      replaced(/[\u0080-\uffff]/g, escape),
    ],
  ),
  [
    'values-html-numeric',
    'writes characters beyond ASCII as entities of HTML',
    replaced(BEYOND_ASCII, (char) => `&#${char.codePointAt(0)};`),
  ],
  ...alike<TextChange>(
    'values-html-quotes',
    ['&#039;', '&#39;', '&#x27;', '&apos;'].map((quote) => [
      'escapes values for HTML, with quotation marks',
      (text) =>
        text
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('>', '&gt;')
          .replaceAll('"', '&quot;')
          .replaceAll("'", quote),
    ]),
  ),
  [
    'values-backslashes',
    'puts backslashes before quotation marks in values',
    replaced(/['"\\]/g, '\\$&'),
  ],
  ['values-slashes-escaped', 'escapes slashes in values', replaced('/', '\\/')],
  ['beyond-latin-1-removed', 'removes characters beyond Latin-1', replaced(/[^\0-\xff]/gu, '')],
  ['utf-8-twice', 'encodes values in UTF-8 twice', (text) => Buffer.from(text).toString('latin1')],
  ['beyond-ascii-removed', 'removes characters beyond ASCII', replaced(BEYOND_ASCII, '')],
  [
    'beyond-ascii-as-question',
    'writes ?? for characters beyond ASCII',
    replaced(BEYOND_ASCII, '??'),
  ],
  [
    'beyond-ascii-as-question',
    'writes ? for each byte of characters beyond ASCII',
    replaced(BEYOND_ASCII, (char) => '?'.repeat(Buffer.byteLength(char))),
  ],
  ...alike<TextChange>(
    'beyond-bmp-replaced',
    ['', '?', '??', '????', '\ufffd', '\ufffd\ufffd'].map((other) => [
      `writes ${JSON.stringify(other)} for characters beyond the BMP, such as emoji`,
      replaced(/[\u{10000}-\u{10ffff}]/gu, other),
    ]),
  ),
  [
    'values-cut-at-emoji',
    'cuts values at a character beyond the BMP, such as an emoji',
    replaced(/[\u{10000}-\u{10ffff}].*$/su, ''),
  ],
  ['marks-removed', 'removes invisible characters', replaced(/\p{Cf}/gu, '')],
  [
    'accents-removed',
    'removes accents from letters',
    (text) => text.normalize('NFD').replace(/[\u0300-\u036f]/g, ''),
  ],
  ...ROUNDED,
  ...Array.from(
    { length: 17 },
    (_, at): TextRow => [
      'decimals-precision',
      `writes decimals with ${at + 1} significant digits`,
      decimalAs((number) => number.toPrecision(at + 1).replace(/\.?0+$/, '')),
    ],
  ),
  [
    'decimals-precision',
    'writes decimals as BigDecimal of Java shows a double',
    decimalAs((number) => number.toFixed(EXACT_DIGITS).replace(/\.?0+$/, '')),
  ],
  ['zeros-lost', 'drops leading zeros of numbers', rewritten(INTEGER, replaced(/^0+(?=.)/, ''))],
  [
    'decimals-as-python',
    'writes decimals as Python prints a float',
    decimalAs((number) => withPoint(String(number))),
  ],
  ...alike<TextChange>(
    'decimals-scaled',
    [3, 5, 6, 7].map((digits) => [
      `writes decimals as whole numbers of 10^-${digits}`,
      decimalAs((number) => Math.round(number * 10 ** digits)),
    ]),
  ),
  ['decimals-with-comma', 'writes decimals with a comma', rewritten(DECIMAL, replaced('.', ','))],
  [
    'decimals-of-single-precision',
    'writes decimals as numbers of single precision',
    decimalAs(Math.fround),
  ],
  [
    'numbers-all-exponent',
    'writes all numbers with an exponent',
    numberAs((number) => number.toExponential()),
  ],
  [
    'numbers-padded-exponent',
    'writes numbers with an exponent of two digits',
    numberAs((number) => number.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')),
  ],
  [
    'numbers-grouped',
    'groups the digits of numbers',
    numberAs((number) => number.toLocaleString('en', { maximumFractionDigits: 20 })),
  ],
  ['numbers-quoted', 'puts numbers in quotation marks', rewritten(NUMBER, surrounded('"', '"'))],
  ...PRINTED.map(
    ([shown, change]): TextRow => ['values-as-printed', `writes each value as ${shown}`, change],
  ),
  [
    'texts-quoted',
    'puts values that are no numbers in quotation marks',
    (text) => (NUMBER.test(text) ? text : `"${text}"`),
  ],
  ...Array.from(
    '=,;:?/+|"\'%.()-',
    (sign): TextRow => [
      'values-cut-at-sign',
      `cuts values at \`${sign}\``,
      (text) => text.split(sign)[0] ?? '',
    ],
  ),
];

const withPoint = (number: string): string => (number.includes('.') ? number : `${number}.0`);

/** The outdated `escape` of JavaScript. */
function escaped(text: string): string {
  return text.replace(/[^\w@*+./-]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).toUpperCase();
    return hex.length <= 2 ? `%${hex.padStart(2, '0')}` : `%u${hex.padStart(4, '0')}`;
  });
}

/** Changes of a value, those that are frequent too. */
export const VALUE_CHANGES: readonly TextRow[] = [
  ...FREQUENT_MISTAKES.filter(({ part }) => part === 'values').map(
    ({ id, statement, apply }): TextRow => [id, statement, apply(DOCUMENTED_RECIPE).values],
  ),
  ...VALUES,
];

/** Changes of the values, or of the whole text, before it is hashed. */
export const VALUE_MISTAKES: readonly Mistake[] = [
  ...advised(PLAIN, [
    ...VALUES.map(([id, statement, values]): MistakeRow => [id, statement, { values }]),
    ...VALUE_CHANGES.map(
      ([id, statement, text]): MistakeRow => [id, `${statement}, in the whole text`, { text }],
    ),
  ]),
  ...choices('booleans', PLAIN, [
    ['booleans-as-words', 'writes 1 and 0 for booleans', ['1', '0']],
    ['booleans-as-words', 'writes yes and no for booleans', ['yes', 'no']],
    ['booleans-as-words', 'writes t and f for booleans', ['t', 'f']],
    ['booleans-as-words', 'writes TRUE and FALSE for booleans', ['TRUE', 'FALSE']],
  ]),
  ...advised(TRIM, [
    [
      'values-not-trimmed',
      'leaves whitespace before values',
      { trimmed: 'keys-only', values: (text) => text.trimEnd() },
    ],
    [
      'values-not-trimmed',
      'leaves whitespace after values',
      { trimmed: 'keys-only', values: (text) => text.trimStart() },
    ],
    [
      'keys-not-trimmed',
      'leaves whitespace around keys',
      { trimmed: 'none', values: (text) => text.trim() },
    ],
    [
      'not-trimmed',
      'trims only the text as a whole',
      { trimmed: 'none', text: (text) => text.trim() },
    ],
  ]),
];
