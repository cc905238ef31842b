import { misreadings } from '../../../signature/misreadings.ts';
import type { Step, Witness } from './witness.ts';

const text = (what: string, name: string, value: string, neutral = 'airport Zurich'): Witness => ({
  what,
  fields: { [name]: value },
  neutral: { [name]: neutral },
});

/** Characters that need one byte of Latin-1, several of UTF-8, or have several forms. */
export const UTF8: Step = {
  rule: 'signature/utf8',
  acceptance: 'shows-signature',
  priority: { rank: 2 },
  metered: 3,
  together: [
    text('a further field of non-ASCII text', 'tj', '首都机场 Zürich'),
    text('composed characters', 'tb', 'caf\u00e9 \uac00'),
    text('decomposed characters', 'tc', 'cafe\u0301 \u1100\u1161'),
    text('characters with a compatible form', 'td', 'ﬁn Å ㎞ ①'),
    text('full-width characters', 'te', 'ＡＢＣ１２３！'),
    text('characters beyond the BMP', 'tf', 'a😀b𠀀c'),
    text('upper case beyond ASCII', 'tg', 'ÄÉ ЖУК ΣΟΦΟΣ İI'),
    text('text from right to left', 'th', 'مطار دبي'),
    text('a zero-width joiner within text', 'ti', 'a\u200bb\u200dc'),
    { what: 'a key of non-ASCII text', fields: { zключ: 'text' }, neutral: { zkljuc: 'text' } },
  ],
  // By itself: a service may choose the encoding by what the text needs.
  apart: [text('text in Latin-1', 'ta', 'Zürich, Genève')],
  inQuery: [
    text('names of non-ASCII text', 'from_name', '首都机场 Zürich', 'airport Zurich, gate 1'),
    text('a name in Latin-1', 'to_name', 'Zürich, Genève', 'Zurich, Geneva'),
    text('decomposed characters', 'tc', 'cafe\u0301, caf\u00e9 Å', 'cafe, cafe A'),
    text('characters beyond the BMP', 'tf', 'a😀b𠀀c', 'a, b'),
    text('upper case beyond ASCII', 'tg', 'ÄÉ ЖУК', 'AE, BC'),
  ],
};

/** A value that the target may refuse for itself, and what a service makes of it by mistake. */
const misread = (
  what: string,
  name: string,
  value: string | number,
  ...statements: readonly string[]
): Witness => ({
  what,
  fields: { [name]: value },
  neutral: null,
  group: 1,
  otherReadings: misreadings(...statements),
});

/** Values that the algorithm leaves as they are. */
export const VALUES: Step = {
  rule: 'signature/valid-accepted',
  acceptance: 'demanded',
  priority: { rank: 3 },
  metered: 0,
  together: [
    text('a + in a value', 'va', 'one+two', 'one two'),
    text('an = in a value', 'vb', 'one=two', 'one two'),
    text('a # in a value', 'vc', 'one#two', 'one two'),
    text('a value in both cases', 'vd', 'One tWO', 'one two'),
    text('a value that begins with 0', 've', '007', '107'),
    misread(
      'a number',
      'vf',
      12,
      'writes whole numbers with `.0`',
      'writes all numbers with an exponent',
    ),
    { what: 'a negative number', fields: { vg: -7 }, neutral: { vg: 12 } },
    { what: 'a number beyond 32 bits', fields: { vh: 4294967301 }, neutral: { vh: 12 } },
    misread('a % in a value', 'vi', 'one%41two', 'percent-decodes values'),
    misread('a < in a value', 'vj', 'one<two', 'escapes values for HTML'),
    misread(
      'a \\ in a value',
      'vk',
      'one\\two',
      'puts backslashes before quotation marks in values',
    ),
    misread('a " in a value', 'vl', 'one "two"', 'removes quotation marks from values'),
    misread(
      'an opening " in a value',
      'vm',
      'one "two',
      'escapes values for HTML, with quotation marks',
    ),
    misread('300 characters', 'vn', 'abcdefghij'.repeat(30), 'cuts values at 255 characters'),
  ],
  inQuery: [
    text('a + in a name', 'from_name', 'Gate one+two', 'Gate one two'),
    misread('a % in a name', 'to_name', 'Gate one%41two', 'percent-decodes values'),
  ],
};
