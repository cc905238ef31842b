import type { Fields } from '../../contract/messages.ts';
import { EXTRA, type OtherReading, type Step, type Witness, withTerm } from './witness.ts';

const escapeNonAscii = (json: string): string =>
  json.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const signedAs =
  (name: string, text: string | null) =>
  (fields: Fields): string =>
    withTerm(fields, name, text);

/** Readings of a list of texts and numbers, as services are known to have them. */
function readingsOf(name: string, list: readonly (string | number)[]): readonly OtherReading[] {
  const json = JSON.stringify(list);
  const spaced = json.replaceAll(',', ', ');
  const as = (how: string, text: string | null): OtherReading => [how, signedAs(name, text)];
  return [
    as('with the list joined by commas', list.join(',')),
    as('with the list as JSON in ASCII escapes', escapeNonAscii(json)),
    as('with the list as JSON with spaces', spaced),
    as('without the list', null),
    as('with the list as JSON with spaces, in ASCII escapes', escapeNonAscii(spaced)),
    as('with the text Array for the list', 'Array'),
    as('with the list in single quotes', spaced.replaceAll('"', "'")),
    as('with the first element for the list', String(list[0])),
    as('with the list joined by spaces', list.join(' ')),
    as('with the list joined by |', list.join('|')),
    as('with the elements one after the other', list.join('')),
    as('with the list without quotes', `[${list.join(', ')}]`),
    as('with the list without quotes and spaces', `[${list.join(',')}]`),
  ];
}

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
      otherReadings: readingsOf('ll', MIXED),
    },
    {
      ...list('a list of texts that are not sorted', 'la', UNSORTED, [12]),
      otherReadings: readingsOf('la', UNSORTED),
    },
    list('a list of one text', 'lb', ['ab'], ['ab', 'cd']),
    list('a list of numbers', 'lc', [30, 4, 30, -1], ['ab']),
    list('a list of digits as texts', 'ld', ['12', '7'], ['ab', 'cd']),
    list('a list within a list', 'le', [['x', 'y'], 'z'], ['ab', 'cd']),
    list('a list of texts with spaces around them', 'lf', [' a ', 'b '], ['a b', 'c']),
    list('a list with an empty text', 'lg', ['a', '', 'b'], ['a', 'x', 'b']),
    list('a list of texts in Latin-1', 'lh', ['Zürich', 'é'], ['Zurich', 'e'], 'Zürich é'),
    list('a list of true, false and null', 'lj', [true, false, null], ['ab']),
    list('a list of an object', 'lk', [{ a: 'b' }], ['ab']),
    list('a list of texts beyond the BMP', 'li', ['a😀b'], ['ab'], 'a😀b'),
  ],
};

const zero = (what: string, name: string, readings: readonly OtherReading[]): Witness => ({
  what,
  fields: { [name]: 0 },
  neutral: { [name]: 1 },
  otherReadings: readings,
});

/** The number 0, in fields that the interface knows and in others. */
export const NUMBERS: Step = {
  rule: 'signature/zero-kept',
  acceptance: 'shows-signature',
  priority: { rank: 2 },
  metered: 3,
  together: [
    zero('a further field whose value is the number 0', EXTRA, [
      ['without it', signedAs(EXTRA, null)],
      [`with the term ${EXTRA}=`, signedAs(EXTRA, '')],
      [`with the term ${EXTRA}=0.0`, signedAs(EXTRA, '0.0')],
      [`with the term ${EXTRA}=false`, signedAs(EXTRA, 'false')],
    ]),
    zero('a first field whose value is the number 0', 'A0', []),
    zero('a last field whose value is the number 0', 'zzz', []),
    zero('a field between others whose value is the number 0', 'nb', []),
  ],
  apart: [
    zero('an auth_code that is the number 0, on a platform request', 'auth_code', [
      ['without it', signedAs('auth_code', null)],
    ]),
  ],
};
