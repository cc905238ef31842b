import {
  DECIMAL,
  formEncode,
  INTEGER,
  lowerHex,
  NUMBER,
  percentDecode,
  percentEncode,
  rewritten,
  unitEscape,
  wellFormed,
} from '../notations.ts';
import {
  advised,
  type Mistake,
  type MistakeRow,
  type TextChange,
  type TextRow,
} from '../recipe.ts';

const PLAIN = 'Sign the values as they are, before any encoding of the request.';

/** Digits of the exact value of a coordinate as a double. */
const EXACT_DIGITS = 60;

const TRIM = 'Trim ASCII whitespace around key and value, after skipping empty values.';

/** Encodings of the whole text, as libraries have them. */
const SLASH_KEPT: readonly (readonly [statement: string, change: TextChange])[] = [
  [
    'percent-encodes the whole text except `/`',
    (text) => percentEncode(text).replaceAll('%2F', '/'),
  ],
  ['form-encodes the whole text in lower-case hex', (text) => lowerHex(formEncode(text))],
  ['percent-encodes the whole text in lower-case hex', (text) => lowerHex(percentEncode(text))],
  ['form-encodes the whole text, including `~`', (text) => formEncode(text).replaceAll('~', '%7E')],
  [
    'form-encodes the whole text except `*`',
    (text) => formEncode(text).replaceAll('~', '%7E').replaceAll('%2A', '*'),
  ],
];

/** Changes of each value, by id. */
export const VALUES: readonly TextRow[] = [
  ['url-encoded-as-uri', 'encodes values by encodeURI', (text) => encodeURI(wellFormed(text))],
  ['url-encoded-by-escape', 'encodes values by escape', escaped],
  [
    'url-encoded-beyond-ascii',
    'percent-encodes only characters beyond ASCII',
    (text) => text.replace(/[^\0-\x7f]+/g, (part) => encodeURIComponent(wellFormed(part))),
  ],
  ['spaces-encoded', 'writes %20 for a space', (text) => text.replaceAll(' ', '%20')],
  ['spaces-removed', 'removes spaces from values', (text) => text.replace(/\s/g, '')],
  ['spaces-as-underscore', 'writes `_` for a space', (text) => text.replaceAll(' ', '_')],
  ['spaces-joined', 'writes one space for several', (text) => text.replace(/\s+/g, ' ')],
  ['line-breaks', 'writes LF for CRLF in values', (text) => text.replaceAll('\r\n', '\n')],
  ['line-breaks', 'writes CRLF for LF in values', (text) => text.replace(/\r?\n/g, '\r\n')],
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
  ['values-cut-at-space', 'cuts values at a space', (text) => text.replace(/\s.*$/s, '')],
  ['values-decoded', 'percent-decodes values', percentDecode],
  ['values-decoded', 'form-decodes values', (text) => percentDecode(text.replaceAll('+', ' '))],
  [
    'values-html-decoded',
    'writes `&` for `&amp;` in values',
    (text) => text.replaceAll('&amp;', '&'),
  ],
  ['values-cut', 'cuts values at 255 characters', (text) => text.slice(0, 255)],
  ['zero-rewritten', 'writes an empty value for 0', (text) => (text === '0' ? '' : text)],
  ['zero-rewritten', 'writes false for 0', (text) => (text === '0' ? 'false' : text)],
  ['ampersands-removed', 'removes `&` from values', (text) => text.replaceAll('&', '')],
  ['values-unquoted', 'removes quotation marks from values', (text) => text.replace(/["']/g, '')],
  ['values-unquoted', 'removes backslashes from values', (text) => text.replaceAll('\\', '')],
  [
    'signs-removed',
    'removes all but letters and digits from values',
    (text) => text.replace(/[^\p{L}\p{N}]/gu, ''),
  ],
  [
    'punctuation-removed',
    'removes punctuation and spaces from values',
    (text) => text.replace(/[^\p{L}\p{N}_.:-]/gu, ''),
  ],
  [
    'values-unicode-escaped',
    'escapes characters beyond ASCII in values as \\u',
    (text) => text.replace(/[\u0080-\uffff]/g, unitEscape),
  ],
  [
    'values-unicode-escaped-upper',
    'escapes characters beyond ASCII in values as \\u, in upper-case hex',
    (text) =>
      text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unitEscape(unit).slice(2).toUpperCase()}`),
  ],
  [
    'values-html-numeric',
    'writes characters beyond ASCII as entities of HTML',
    (text) => text.replace(/[^\0-\x7f]/gu, (char) => `&#${char.codePointAt(0)};`),
  ],
  ...['&#039;', '&#39;', '&#x27;', '&apos;'].map(
    (quote): TextRow => [
      'values-html-quotes',
      'escapes values for HTML, with quotation marks',
      (text) =>
        text
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('>', '&gt;')
          .replaceAll('"', '&quot;')
          .replaceAll("'", quote),
    ],
  ),
  [
    'values-backslashes',
    'puts backslashes before quotation marks in values',
    (text) => text.replace(/['"\\]/g, '\\$&'),
  ],
  ['values-slashes-escaped', 'escapes slashes in values', (text) => text.replaceAll('/', '\\/')],
  [
    'beyond-latin-1-removed',
    'removes characters beyond Latin-1',
    (text) => text.replace(/[^\0-\xff]/gu, ''),
  ],
  ['utf-8-twice', 'encodes values in UTF-8 twice', (text) => Buffer.from(text).toString('latin1')],
  ['beyond-ascii-removed', 'removes characters beyond ASCII', (text) => asciiOf(text, '')],
  [
    'beyond-ascii-as-question',
    'writes ?? for characters beyond ASCII',
    (text) => asciiOf(text, '??'),
  ],
  [
    'beyond-ascii-as-question',
    'writes ? for each byte of characters beyond ASCII',
    (text) => text.replace(/[^\0-\x7f]/gu, (char) => '?'.repeat(Buffer.byteLength(char))),
  ],
  ...['', '?', '??', '????', '\ufffd', '\ufffd\ufffd'].map(
    (other): TextRow => [
      'beyond-bmp-replaced',
      `writes ${JSON.stringify(other)} for characters beyond the BMP, such as emoji`,
      (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, other),
    ],
  ),
  [
    'values-cut-at-emoji',
    'cuts values at a character beyond the BMP, such as an emoji',
    (text) => text.replace(/[\u{10000}-\u{10ffff}].*$/su, ''),
  ],
  ['marks-removed', 'removes invisible characters', (text) => text.replace(/\p{Cf}/gu, '')],
  [
    'accents-removed',
    'removes accents from letters',
    (text) => text.normalize('NFD').replace(/[\u0300-\u036f]/g, ''),
  ],
  ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((digits): TextRow[] => [
    [
      'decimals-rounded',
      `rounds decimals to ${digits} digits`,
      rewritten(DECIMAL, (text) => String(Number(Number(text).toFixed(digits)))),
    ],
    [
      'decimals-rounded',
      `cuts decimals after ${digits} digits`,
      rewritten(DECIMAL, (text) => String(Math.trunc(Number(text) * 10 ** digits) / 10 ** digits)),
    ],
  ]),
  ...[6, 15, 16, 17].map(
    (digits): TextRow => [
      'decimals-precision',
      `writes decimals with ${digits} significant digits`,
      rewritten(DECIMAL, (text) =>
        Number(text)
          .toPrecision(digits)
          .replace(/\.?0+$/, ''),
      ),
    ],
  ),
  [
    'decimals-precision',
    'writes decimals as BigDecimal of Java shows a double',
    rewritten(DECIMAL, (text) =>
      Number(text)
        .toFixed(EXACT_DIGITS)
        .replace(/\.?0+$/, ''),
    ),
  ],
  [
    'zeros-lost',
    'drops leading zeros of numbers',
    rewritten(INTEGER, (text) => text.replace(/^0+(?=.)/, '')),
  ],
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map(
    (digits): TextRow => [
      'decimals-fixed',
      `writes decimals with ${digits} digits after the point`,
      rewritten(DECIMAL, (text) => Number(text).toFixed(digits)),
    ],
  ),
  [
    'decimals-as-python',
    'writes decimals as Python prints a float',
    rewritten(DECIMAL, (text) => withPoint(String(Number(text)))),
  ],
  ...[3, 5, 6, 7].map(
    (digits): TextRow => [
      'decimals-scaled',
      `writes decimals as whole numbers of 10^-${digits}`,
      rewritten(DECIMAL, (text) => String(Math.round(Number(text) * 10 ** digits))),
    ],
  ),
  [
    'decimals-truncated',
    'cuts decimals to whole numbers',
    rewritten(DECIMAL, (text) => String(Math.trunc(Number(text)))),
  ],
  [
    'decimals-with-comma',
    'writes decimals with a comma',
    rewritten(DECIMAL, (text) => text.replace('.', ',')),
  ],
  [
    'decimals-of-single-precision',
    'writes decimals as numbers of single precision',
    rewritten(DECIMAL, (text) => String(Math.fround(Number(text)))),
  ],
  [
    'numbers-all-exponent',
    'writes all numbers with an exponent',
    rewritten(NUMBER, (text) => Number(text).toExponential()),
  ],
  [
    'numbers-padded-exponent',
    'writes numbers with an exponent of two digits',
    rewritten(NUMBER, (text) =>
      Number(text)
        .toExponential()
        .replace(/e([+-])(\d)$/, 'e$10$2'),
    ),
  ],
  [
    'numbers-grouped',
    'groups the digits of numbers',
    rewritten(NUMBER, (text) => Number(text).toLocaleString('en', { maximumFractionDigits: 20 })),
  ],
  ['numbers-quoted', 'puts numbers in quotation marks', rewritten(NUMBER, (text) => `"${text}"`)],
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

const asciiOf = (text: string, other: string): string => text.replace(/[^\0-\x7f]/gu, other);

/** The outdated `escape` of JavaScript. */
function escaped(text: string): string {
  return text.replace(/[^\w@*+./-]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).toUpperCase();
    return hex.length <= 2 ? `%${hex.padStart(2, '0')}` : `%u${hex.padStart(4, '0')}`;
  });
}

/** Changes of the values, or of the whole text, before it is hashed. */
export const VALUE_MISTAKES: readonly Mistake[] = [
  ...advised(PLAIN, [
    ...VALUES.flatMap(([id, statement, change]): MistakeRow[] => [
      [id, statement, { values: change }],
      [id, `${statement}, in the whole text`, { text: change }],
    ]),
    ...SLASH_KEPT.map(([statement, text]): MistakeRow => ['text-encoded', statement, { text }]),
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
