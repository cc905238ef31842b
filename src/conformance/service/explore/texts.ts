/** Classes of texts, each of which a service takes or refuses as a whole, by name. */
export const TEXTS = {
  plain: ['text', 'Text2', 'a', 'x1', 'some', 'v07', 'TRUE', '1e3', 'null'],
  'inner spaces': ['two words', 'three  more words', 'a b c'],
  'spaces around': [' text', 'text ', '  both  '],
  'tabs and line breaks around': ['\ttext', 'text\n', '\r\nboth\t'],
  'letters of other scripts': [
    'é',
    'Zürich',
    '天安门',
    'Москва',
    'café',
    'ß',
    'ｆｕｌｌ',
    '北京 a',
  ],
  'right-to-left letters': ['ميدان', 'שלום'],
  emoji: ['🚕', 'a😀b', '👩‍👩‍👧'],
  'combining marks': ['e\u0301', 'n\u0303o', 'o\u0308'],
  ampersands: ['&a', 'a&', '&&b&&', 'a&b', 'a&&b', 'x&amp;y'],
  signs: ['a=b', '=x', 'a+b', '50%', '%41', 'a#b', 'a:b', '(x)'],
  'quotes and backslashes': ['"q"', '<b>', 'a\\b', 'C:\\n', '\\"'],
  'long texts': ['x'.repeat(100), 'ab '.repeat(60).trim(), 'y'.repeat(300)],
  digits: ['007', '12', '1.50', '-3', '2147483648', '10000000000'],
};

/** Values that are no texts, by class: none is one that the interface leaves open how to sign. */
export const VALUES = {
  zero: [0],
  numbers: [7, 42, -3, 1.5, 2147483648],
  'empty texts': [''],
  lists: [[1, 2], ['b', 'a'], ['one'], ['天', 'é'], ['a', 'a'], [' x '], ['A', 'b'], [10, 9]],
  'nested lists': [[[1], ['a']], [{ b: 1, a: 'x' }], ['', 'a'], [true, 'x'], [null, 1], ['😀']],
};

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
