import type { TimeForm } from '../contract/time-forms.ts';

/** A class of values, each of which a service takes or refuses as a whole, and the step of the signature it shows. */
export type ValueClass = readonly [what: string, step: string, values: readonly unknown[]];

/** Words that no step of the signature alters. */
export const PLAIN = ['text', 'Text2', 'a', 'x1', 'some', 'v07', 'TRUE', '1e3', 'null'] as const;

/** Classes of texts. */
export const TEXTS: readonly ValueClass[] = [
  ['plain', 'valid-accepted', PLAIN],
  ['inner spaces', 'valid-accepted', ['two words', 'three  more words', 'a b c']],
  ['spaces around', 'trimmed', [' text', 'text ', '  both  ']],
  ['tabs and line breaks around', 'trimmed', ['\ttext', 'text\n', '\r\nboth\t']],
  [
    'letters of other scripts',
    'utf8',
    ['é', 'Zürich', '天安门', 'Москва', 'café', 'ß', 'ｆｕｌｌ', '北京 a'],
  ],
  ['right-to-left letters', 'utf8', ['ميدان', 'שלום']],
  ['emoji', 'utf8', ['🚕', 'a😀b', '👩‍👩‍👧']],
  ['combining marks', 'utf8', ['e\u0301', 'n\u0303o', 'o\u0308']],
  ['ampersands', 'ampersands-stripped', ['&a', 'a&', '&&b&&', 'a&b', 'a&&b']],
  ['signs', 'valid-accepted', ['a=b', '=x', 'a+b', '50%', '%41', 'a#b', 'a:b', '(x)']],
  ['quotes and backslashes', 'valid-accepted', ['"q"', '<b>', 'x&amp;y', 'a\\b', 'C:\\n', '\\"']],
  ['long texts', 'valid-accepted', ['x'.repeat(100), 'ab '.repeat(60).trim(), 'y'.repeat(300)]],
  ['digits', 'valid-accepted', ['007', '12', '1.50', '-3', '2147483648', '10000000000']],
];

/** Classes of values that are no texts: none is one that the interface leaves open how to sign. */
export const VALUES: readonly ValueClass[] = [
  ['zero', 'zero-kept', [0]],
  ['numbers', 'valid-accepted', [7, 42, -3, 1.5, 2147483648]],
  ['empty texts', 'empty-skipped', ['']],
  [
    'lists',
    'array-json',
    [[1, 2], ['b', 'a'], ['one'], ['天', 'é'], ['a', 'a'], [' x '], ['A', 'b'], [10, 9]],
  ],
  [
    'nested lists',
    'array-json',
    [[[1], ['a']], [{ b: 1, a: 'x' }], ['', 'a'], [true, 'x'], [null, 1], ['😀']],
  ],
];

/** Names of fields that no interface has, by class. */
export const NAMES = {
  words: ['remark', 'a', 'a1', 'aa', 'zz', 'b2', 'b10', '_x', 'note'],
  capitals: ['Zeta', 'mU', 'A', 'ZZ'],
  digits: ['10', '9', '2', '100'],
  signs: ['a-b', '~x', '!a', '.z', 'a.b'],
  'other scripts': ['é', 'ключ', '名'],
  'spaces around': [' a', 'mc ', ' zq '],
};

/** Names of places that no reader has cause to refuse, by what their spelling in a query needs. */
export const PLACES = {
  plain: ['Tiananmen', 'A', '12', 'Summer-Palace', 'TERMINAL_3', 'old.town'],
  encoded: ['Gate 1, west', 'Terminal 3', 'Old Town', 'St. Mary-Hill', 'a b  c'],
  scripts: [
    '天安门',
    '首都机场',
    'Красная площадь',
    'ميدان التحرير',
    'Zürich',
    'सड़क',
    '東京駅',
    'ñandú 🚕',
  ],
} as const;

/** Forms of a time that a service may take or not. */
export const FORMS: readonly TimeForm[] = [
  'with a fraction and with Z',
  'with +00:00',
  'with a fraction and with +00:00',
  'with +08:00',
  'with -05:00',
  'with +05:30',
  'with the fraction .000',
  'with the fraction .250',
];
