import { misreadings } from '../../../signature/misreadings.ts';
import type { Step, Witness } from './witness.ts';

/** Readings of a list of texts and numbers, as services are known to have them. */
const LIST_READINGS = misreadings(
  'joins a list with commas',
  'escapes non-ASCII text in the JSON of a list',
  'puts spaces into the JSON of a list',
  'leaves lists out',
  'writes a list with spaces and escapes, as Python writes JSON',
  'writes Array for a list',
  'writes a list as Python prints it',
  'takes only the first item of a list',
  'joins a list with spaces',
  'joins a list with `|`',
  'joins a list without a separator',
  'writes a list as Java prints it',
  'writes a list without quotation marks and spaces',
);

const MIXED = ['首都', 'words', 3];
const UNSORTED = ['b', 'C', 'a', 'b'];

/** A list, and another to compare it with; `text` is what a field that is no list has in common with it. */
const list = (
  what: string,
  name: string,
  value: readonly unknown[],
  other: readonly unknown[],
  text = 'text',
): Witness => ({
  what,
  fields: { [name]: value },
  neutral: { [name]: other, lz: text },
  plain: { lz: text },
});

/** Lists: the order of elements, numbers in them, texts beyond ASCII, lists within lists. */
export const LISTS: Step = {
  rule: 'signature/array-json',
  acceptance: 'shows-signature',
  priority: { rank: 2 },
  metered: 3,
  // Also a list whose key stands where those of the witnesses do: its order is not what is judged.
  neutral: { la: [12], ll: [12], lz: '首都 Zürich é a😀b' },
  together: [
    {
      ...list('a list of texts and a number', 'll', MIXED, [12], '首都'),
      group: 1,
      otherReadings: LIST_READINGS,
    },
    {
      ...list('a list of texts that are not sorted', 'la', UNSORTED, [12]),
      otherReadings: LIST_READINGS,
    },
    list('a list of one text', 'lb', ['ab'], ['ab', 'cd']),
    list('a list of numbers', 'lc', [30, 4, 30, -1], ['ab']),
    list('a list of digits as texts', 'ld', ['12', '7'], ['ab', 'cd']),
    list('a list within a list', 'le', [['x', 'y'], 'z'], ['ab', 'cd']),
    list('a list of texts with spaces around them', 'lf', [' a ', 'b '], ['a b', 'c']),
    list('a list with an empty text', 'lg', ['a', '', 'b'], ['a', 'x', 'b']),
    {
      ...list('a list of texts in Latin-1', 'lh', ['Zürich', 'é'], ['Zurich', 'e'], 'Zürich é'),
      group: 1,
    },
    list('a list of true, false and null', 'lj', [true, false, null], ['ab']),
    list('a list of an object', 'lk', [{ a: 'b' }], ['ab']),
    { ...list('a list of texts beyond the BMP', 'li', ['a😀b'], ['ab'], 'a😀b'), group: 1 },
  ],
};

const zero = (what: string, name: string, ...readings: readonly string[]): Witness => ({
  what,
  fields: { [name]: 0 },
  neutral: { [name]: 1 },
  otherReadings: misreadings(...readings),
});

/** The number 0, in fields that the interface knows and in others. */
export const NUMBERS: Step = {
  rule: 'signature/zero-kept',
  acceptance: 'shows-signature',
  priority: { rank: 2 },
  metered: 3,
  together: [
    zero(
      'a further field whose value is the number 0',
      'na',
      'leaves the number 0 out',
      'writes an empty value for 0',
      'writes whole numbers with `.0`',
      'writes false for 0',
    ),
    zero('a first field whose value is the number 0', 'A0'),
    zero('a last field whose value is the number 0', 'zzz'),
    zero('a field between others whose value is the number 0', 'nb'),
  ],
  apart: [
    zero(
      'an auth_code that is the number 0, on a platform request',
      'auth_code',
      'leaves the number 0 out',
    ),
  ],
};
