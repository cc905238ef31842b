import { ESTIMATE_PARAMETERS, TOKEN_FIELDS } from '../../../interface/limits.ts';
import { javaHash, replaced, surrounded, type TextChange, upper } from '../notations.ts';
import {
  advised,
  alike,
  around,
  byKey,
  choices,
  type Mistake,
  type MistakeRow,
  type Pairs,
  type Recipe,
  type TextRow,
} from '../recipe.ts';
import { BYTES, PLAIN, SKIP, SORT, STRIP, TERMS } from './advice.ts';
import { cesu8, legacy, lowBytes, utf16be, utf16le, utf32le, windows1252 } from './charsets.ts';

const NAMES = 'Sign each field under the name by which it is sent.';
const ENDS = 'Add nothing before or after the joined terms.';

/** Charsets besides GBK, by the names that the platform decodes. */
const LEGACY = ['big5', 'shift_jis', 'euc-kr', 'windows-1251', 'koi8-r'];

const LOCALES = ['en', 'zh', 'de'];

type OrderRow = readonly [id: string, statement: string, order: Recipe['order']];

const ORDERS: readonly OrderRow[] = [
  [
    'order-by-length',
    'is made of pairs sorted by the length of their keys',
    byKey((a, b) => a.length - b.length || (a < b ? -1 : 1)),
  ],
  ['order-time-last', 'puts `_` and nostr after the other pairs', last(isAdded)],
  ['order-time-first', 'puts `_` and nostr before the other pairs', last((name) => !isAdded(name))],
  ['order-time-last', 'puts `_` after the other pairs', last((name) => name === '_')],
  [
    'order-grant-type-first',
    'puts grant_type before the other pairs',
    last((name) => name !== 'grant_type'),
  ],
  [
    'order-trimmed',
    'is made of pairs sorted by their trimmed keys',
    byKey((a, b) => (a.trim() < b.trim() ? -1 : 1)),
  ],
  [
    'order-by-term',
    'sorts terms, not keys',
    (pairs) => pairs.toSorted((a, b) => (a.join('=') < b.join('=') ? -1 : 1)),
  ],
  [
    'order-by-value',
    'is made of pairs sorted by value, in descending order',
    (pairs) => pairs.toSorted(([, a], [, b]) => (String(a) > String(b) ? -1 : 1)),
  ],
  [
    'order-documented',
    'is made of pairs in the order of the documentation',
    byKey((a, b) => DOCUMENTED.indexOf(a) - DOCUMENTED.indexOf(b)),
  ],
  ['order-hash-map', 'is made of pairs in the order of a Java Hashtable', byJavaTable],
  [
    'order-letters-only',
    'sorts the keys by their letters only',
    byKey((a, b) => (lettersOf(a) < lettersOf(b) ? -1 : 1)),
  ],
  ...LOCALES.map(
    (locale): OrderRow => [
      'order-locale',
      `sorts the keys by the rules of the locale ${locale}`,
      byKey((a, b) => a.localeCompare(b, locale, { numeric: true })),
    ],
  ),
];

/** Fields in the order of the interface. */
const DOCUMENTED: readonly string[] = [...TOKEN_FIELDS, ...ESTIMATE_PARAMETERS];

/** The order in which a Hashtable of Java lists its keys: the last bucket first. */
function byJavaTable(pairs: Pairs): Pairs {
  let buckets = 11;
  while (pairs.length > Math.floor(0.75 * buckets)) buckets = 2 * buckets + 1;
  const bucketOf = (name: string): number => (javaHash(name) & 0x7fffffff) % buckets;
  return pairs.toReversed().sort(([a], [b]) => bucketOf(b) - bucketOf(a));
}

const lettersOf = (name: string): string => name.replace(/\W|_/g, '').toLowerCase();

/** Sorts by keys, those of some pairs after the others. */
function last(isLast: (name: string) => boolean): Recipe['order'] {
  return byKey((a, b) => Number(isLast(a)) - Number(isLast(b)) || (a < b ? -1 : 1));
}

function isAdded(name: string): boolean {
  return name === '_' || name === 'nostr';
}

const camel = (name: string): string =>
  name.replace(/(?<=.)_(\w)/g, (_, letter: string) => letter.toUpperCase());
const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
const pascal = (name: string): string => capital(camel(name));

/** Changes of each name, by id. */
const RENAMED: readonly TextRow[] = [
  ['names-upper-case', 'writes names in upper case', upper],
  ['names-lower-case', 'writes names in lower case', (name) => name.toLowerCase()],
  ['names-camel-case', 'writes names in camel case', camel],
  ['names-pascal-case', 'writes names in camel case, the first letter too', pascal],
  ['names-capitalised', 'writes names with a capital', capital],
  ['names-without-underscore', 'leaves `_` out of names', replaced(/(?!^_$)_/g, '')],
  ['names-dashed', 'writes `-` for `_` in names', replaced(/(?!^_$)_/g, '-')],
  ['names-quoted', 'puts names in quotation marks', surrounded('"', '"')],
  ['names-with-colon', 'puts `:` before names', surrounded(':')],
];

/** Notations of a whole set of pairs, by id. */
const NOTATIONS: readonly (readonly [
  id: string,
  statement: string,
  term: (name: string, value: string) => string,
  joint?: string,
  before?: string,
  after?: string,
])[] = [
  ['equals-colon-spaced', 'writes `: ` between key and value', (a, b) => `${a}: ${b}`],
  ['equals-spaced', 'writes spaces around `=`', (a, b) => `${a} = ${b}`],
  ['equals-arrow', 'writes `=>` between key and value', (a, b) => `${a}=>${b}`],
  ['equals-comma', 'writes `,` between key and value', (a, b) => `${a},${b}`],
  ['equals-bar', 'writes `|` between key and value', (a, b) => `${a}|${b}`],
  ['java-map', 'is made of a map as Java prints it', (a, b) => `${a}=${b}`, ', ', '{', '}'],
  ['go-map', 'is made of a map as Go prints it', (a, b) => `${a}:${b}`, ' ', 'map[', ']'],
  ['ruby-hash', 'is made of a hash as Ruby prints it', (a, b) => `"${a}"=>"${b}"`, ', ', '{', '}'],
  [
    'names-and-values-quoted',
    'puts names and values in quotation marks',
    (a, b) => `"${a}"="${b}"`,
  ],
];

const EMPTY_WORDS = [
  'null',
  'undefined',
  '""',
  'None',
  'nil',
  '<nil>',
  '[]',
  '{}',
  'NULL',
  '0',
  'false',
];

const isEmpty = (value: unknown): boolean => value === '' || value === null || value === undefined;

const emptyAs = (write: TextChange): Partial<Recipe> => ({
  empties: '',
  terms: (name, value) => (value === '' ? write(name) : `${name}=${value}`),
});

/** Empty values that are not skipped. */
const EMPTIES: readonly MistakeRow[] = [
  ['empty-as-term', 'writes only the key of an empty value', emptyAs((name) => name)],
  ['empty-as-term', 'writes an empty term for an empty value', emptyAs(() => '')],
  ...EMPTY_WORDS.map((word): MistakeRow => {
    const fields: Recipe['fields'] = (pairs) =>
      pairs.map(([name, value]) => [name, isEmpty(value) ? word : value]);
    return ['empty-as-word', `writes ${word} for an empty value`, { fields }];
  }),
];

/** Ampersands stripped in part. */
const STRIPPED: readonly TextRow[] = [
  ['ampersands-kept', 'strips `&` at the start only', replaced(/^&+/, '')],
  ['ampersands-kept', 'strips `&` at the end only', replaced(/(?<!&)&+$/, '')],
  ['ampersands-kept', 'strips one `&` at each end', replaced(/^&|&$/g, '')],
];

const NO_FIELDS = [
  '[object Object]',
  'Array',
  'System.Collections.Generic.Dictionary`2[System.String,System.String]',
  '',
];
const JOINTS = [
  ' & ',
  ', ',
  '\r\n',
  '/',
  '-',
  '_',
  '+',
  '#',
  '\t',
  ':',
  '=',
  '; ',
  '||',
  '*',
  '.',
  '%26',
];
const AFTER = ['&sign=', ' ', '\0', '\r\n', '\r', '=', ',', '|', '?', '#'];

/** Terms written and joined in another way. */
const NOTATION_MISTAKES: readonly Mistake[] = advised(
  TERMS,
  NOTATIONS.map(([id, statement, terms, joint = '&', before = '', after = '']) => [
    id,
    statement,
    { terms, joint, ends: around(before, after) },
  ]),
);

/** Mistakes in how the pairs become one text. */
export const TEXT_MISTAKES: readonly Mistake[] = [
  ...choices('order', SORT, ORDERS),
  ...advised(
    NAMES,
    RENAMED.flatMap(([id, statement, change]): MistakeRow[] => [
      [id, `${statement} after sorting`, { terms: (name, value) => `${change(name)}=${value}` }],
      [id, statement, { fields: (pairs) => pairs.map(([name, one]) => [change(name), one]) }],
    ]),
  ),
  ...NOTATION_MISTAKES,
  ...choices(
    'joint',
    TERMS,
    JOINTS.map((joint) => ['joint-other', `joins the terms with ${JSON.stringify(joint)}`, joint]),
  ),
  ...advised(SKIP, EMPTIES),
  ...choices('ends', STRIP, STRIPPED),
  ...choices('ends', ENDS, [
    ...alike(
      'text-with-ending',
      AFTER.map((after) => [`ends the text with ${JSON.stringify(after)}`, around('', after)]),
    ),
    ['text-with-question-mark', 'starts the text with `?`', around('?', '')],
  ]),
  ...choices('text', ENDS, [
    ['text-cut', 'leaves out the first character of the text', (text) => text.slice(1)],
  ]),
  ...choices('text', PLAIN, [
    ['text-in-base64', 'hashes the text in Base64', (text) => Buffer.from(text).toString('base64')],
  ]),
  ...choices(
    'text',
    TERMS,
    NO_FIELDS.map((text) => [
      'text-of-no-fields',
      `hashes "${text}" in place of the pairs`,
      () => text,
    ]),
  ),
  ...choices('charset', BYTES, [
    ['charset-low-bytes', 'hashes only the low byte of each character', lowBytes],
    ['charset-utf-16be', 'hashes big-endian UTF-16', utf16be],
    ['charset-utf-16', 'hashes UTF-16 with a mark', (text) => utf16be(`\ufeff${text}`)],
    ['charset-utf-16', 'hashes UTF-16 with a mark', (text) => utf16le(`\ufeff${text}`)],
    ['charset-windows-1252', 'hashes Windows-1252 bytes', windows1252],
    ['charset-utf-32', 'hashes UTF-32', utf32le],
    ['charset-cesu-8', 'hashes CESU-8, with six bytes for an emoji', cesu8],
    ...LEGACY.map((name) => [`charset-${name}`, `hashes ${name} bytes`, legacy(name)] as const),
  ]),
];
