import { type Form, only } from '../../form.ts';
import { jsonOf, type Reading } from '../../reading-signature.ts';
import { textOf } from '../../state.ts';
import { KNOWN_FIELDS } from '../../style.ts';
import { read } from '../builders.ts';

const on = (keyOf: (name: string) => string | number): Form =>
  byName((a, b) => {
    const [one, two] = [keyOf(a), keyOf(b)];
    return one < two ? -1 : one > two ? 1 : compare(a, b);
  });

const byName = (compare: (a: string, b: string) => number): Form =>
  read({ sort: (names) => names.sort(compare) });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const emptyUnless = (isKept: (value: unknown, name: string) => boolean): Partial<Reading> => ({
  isEmpty: (some, name) =>
    !isKept(some, name) &&
    (some === '' || some === null || (Array.isArray(some) && some.length === 0)),
});

const zero = (text: string): Form => read({ spell: (some) => (some === 0 ? text : textOf(some)) });

const trimming = (trimBoth: (text: string) => string): Form =>
  read({ trimName: trimBoth, trimValue: trimBoth });

const list = (textFor: (value: readonly unknown[]) => string): Form => read({ list: textFor });

/** Text with each unit beyond ASCII as an escape of JSON. */
export const escaped = (text: string): string =>
  text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * Steps of the signature that are misread:
 * the order of the pairs, which are skipped, and how a value is spelled.
 */
export const PAIRS: Readonly<Record<string, Form>> = {
  'signature/key-order#folded': on((name) => name.toLowerCase()),
  'signature/key-order#upper-case-last': on((name) =>
    name.replace(/[a-z]/gi, (c) => (c < 'a' ? c.toLowerCase() : c.toUpperCase())),
  ),
  'signature/key-order#natural': byName((a, b) => a.localeCompare(b, 'en', { numeric: true })),
  'signature/key-order#locale': byName((a, b) => a.localeCompare(b, 'en')),
  'signature/key-order#by-term': read({
    sort: (names, pairs) =>
      names.sort((a, b) => compare(`${a}=${textOf(pairs[a])}`, `${b}=${textOf(pairs[b])}`)),
  }),
  'signature/key-order#by-value': read({
    sort: (names, pairs) => names.sort((a, b) => compare(textOf(pairs[a]), textOf(pairs[b]))),
  }),
  'signature/key-order#descending': byName((a, b) => compare(b, a)),
  'signature/key-order#underscore-first': on((name) => name.replaceAll('_', ' ')),
  'signature/key-order#underscore-last': on((name) => name.replaceAll('_', '~')),
  'signature/key-order#digits-last': on((name) =>
    name.replace(/\d/g, (digit) => String.fromCharCode(0x7b + Number(digit))),
  ),
  'signature/key-order#by-length': on((name) => String(name.length).padStart(4, '0') + name),
  'signature/key-order#first-letter': read({
    sort: (names) => names.sort((a, b) => compare(a.charAt(0), b.charAt(0))),
  }),
  'signature/key-order#known-first': on((name) =>
    KNOWN_FIELDS.includes(name) ? `0${name}` : `1${name}`,
  ),
  'signature/key-order#unknown-unsorted': read({
    sort: (names) => [
      ...names.filter((one) => KNOWN_FIELDS.includes(one)).sort(compare),
      ...names.filter((one) => !KNOWN_FIELDS.includes(one)),
    ],
  }),
  'signature/key-order#ascii-only': on((name) => name.replace(/[^ -~]/g, '')),
  'signature/key-order#accents-folded': on((name) => name.normalize('NFD').replace(/\p{M}/gu, '')),
  'signature/key-order#grant-type-first': on((name) => (name === 'grant_type' ? '' : name)),
  'signature/key-order#trimmed-first': on((name) => name.trim()),
  'signature/key-order#spaces-last': on((name) => name.replaceAll(' ', '~')),
  'signature/key-order#only-without-scope': only(
    read({ sort: (names) => names }),
    (r) => 'scope' in r.fields,
  ),
  'signature/empty-skipped#unknown-fields-kept': read(
    emptyUnless((_some, name) => !KNOWN_FIELDS.includes(name)),
  ),
  'signature/empty-skipped#scope-kept': read(
    emptyUnless((some, name) => some === '' && name === 'scope'),
  ),
  'signature/empty-skipped#text-null': read({
    spell: (some) => (some === '' ? 'null' : textOf(some)),
    isEmpty: (some) => some === null,
  }),
  'signature/empty-skipped#name-kept': read({
    isEmpty: () => false,
    term: (name, text) => (text === '' ? name : `${name}=${text}`),
  }),
  'signature/empty-skipped#last-kept': read({
    isEmpty: (some, name) =>
      some === '' && name !== 'zz' && name > 'r' ? false : some === '' || some === null,
  }),
  'signature/empty-skipped#only-one': read({
    isEmpty: (some, name) => (some === '' && name !== 'remark') || some === null,
  }),
  'signature/zero-kept#as-float': zero('0.0'),
  'signature/zero-kept#as-false': zero('false'),
  'signature/zero-kept#as-empty': zero(''),
  'signature/zero-kept#in-known-fields-only': read({
    isEmpty: (some, name) =>
      (some === 0 && !KNOWN_FIELDS.includes(name)) || some === '' || some === null,
  }),
  'signature/zero-kept#all-numbers-skipped': read({
    isEmpty: (some) => typeof some === 'number' || some === '' || some === null,
  }),
  'signature/zero-kept#in-unknown-fields-only': read({
    isEmpty: (some, name) =>
      (some === 0 && KNOWN_FIELDS.includes(name)) || some === '' || some === null,
  }),
  'signature/trimmed#left-only': trimming((text) => text.trimStart()),
  'signature/trimmed#right-only': trimming((text) => text.trimEnd()),
  'signature/trimmed#name-only': read({ trimValue: (text) => text }),
  'signature/trimmed#value-only': read({ trimName: (text) => text }),
  'signature/trimmed#one-character': trimming((text) => text.replace(/^\s|\s$/g, '')),
  'signature/trimmed#inner-too': trimming((text) => text.trim().replace(/\s+/g, ' ')),
  'signature/trimmed#all-whitespace': trimming((text) => text.replace(/\s+/g, '')),
  'signature/trimmed#known-fields-only': read({
    trimName: (text) => text,
    trimValue: (text, name) => (KNOWN_FIELDS.includes(name) ? text.trim() : text),
  }),
  'signature/trimmed#unknown-fields-only': read({
    trimValue: (text, name) => (KNOWN_FIELDS.includes(name) ? text : text.trim()),
  }),
  'signature/trimmed#quotes-too': trimming((text) => text.trim().replace(/^["']+|["']+$/g, '')),
  'signature/trimmed#value-left-only': read({ trimValue: (text) => text.trimStart() }),
  'signature/trimmed#value-right-only': read({ trimValue: (text) => text.trimEnd() }),
  'signature/trimmed#name-left-only': read({ trimName: (text) => text.trimStart() }),
  'signature/trimmed#whole-only': read({
    trimName: (text) => text,
    trimValue: (text) => text,
    strip: (joined) => joined.replace(/^&+|&+$/g, '').trim(),
  }),
  'signature/array-json#spaced': list((some) => jsonOf(some).replaceAll(',', ', ')),
  'signature/array-json#escaped': list((some) => escaped(jsonOf(some))),
  'signature/array-json#sorted': list((some) =>
    jsonOf(some.toSorted((a, b) => compare(textOf(a), textOf(b)))),
  ),
  'signature/array-json#reversed': list((some) => jsonOf([...some].reverse())),
  'signature/array-json#deduplicated': list((some) => jsonOf([...new Set(some)])),
  'signature/array-json#flattened': list((some) => jsonOf(some.flat(9))),
  'signature/array-json#numbers-as-text': list((some) =>
    jsonOf(some.map((one) => (typeof one === 'number' ? String(one) : one))),
  ),
  'signature/array-json#text-as-numbers': list((some) =>
    jsonOf(some.map((one) => (/^\d+$/.test(textOf(one)) ? Number(one) : one))),
  ),
  'signature/array-json#first-only': list((some) => textOf(some[0])),
  'signature/array-json#word': list(() => 'Array'),
  'signature/array-json#no-quotes': list((some) => `[${some.map(textOf).join(',')}]`),
  'signature/array-json#single-quotes': list((some) => jsonOf(some).replaceAll('"', "'")),
  'signature/array-json#skipped': read({
    isEmpty: (some) => Array.isArray(some) || some === '' || some === null,
  }),
  'signature/array-json#joined-by-spaces': list((some) => some.map(textOf).join(' ')),
  'signature/array-json#trimmed-elements': list((some) =>
    jsonOf(some.map((one) => (typeof one === 'string' ? one.trim() : one))),
  ),
  'signature/array-json#empty-elements-dropped': list((some) =>
    jsonOf(some.filter((one) => one !== '' && one !== null)),
  ),
  'signature/array-json#single-element-bare': list((some) =>
    some.length === 1 ? textOf(some[0]) : jsonOf(some),
  ),
  'signature/array-json#latin-1-escaped': list((some) =>
    jsonOf(some).replace(/[\u0080-\u00ff]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`),
  ),
  'signature/array-json#beyond-bmp-escaped': list((some) =>
    jsonOf(some).replace(/[\ud800-\udfff]/g, escaped),
  ),
  'signature/array-json#nested-joined': list((some) =>
    jsonOf(some.map((one) => (Array.isArray(one) ? one.join(',') : one))),
  ),
  'signature/array-json#lower-case': list((some) => jsonOf(some).toLowerCase()),
  'signature/array-json#booleans-in-words': read({
    list: (value) =>
      JSON.stringify(value).replace(/\b(true|false|null)\b(?=[,\]])/g, (word) =>
        word === 'null' ? 'None' : word === 'true' ? 'True' : 'False',
      ),
  }),
  'signature/array-json#nulls-dropped': read({
    list: (value) => JSON.stringify(value.filter((one) => one !== null)),
  }),
  'signature/array-json#booleans-as-numbers': read({
    list: (value) =>
      JSON.stringify(value.map((one) => (typeof one === 'boolean' ? Number(one) : one))),
  }),
  'signature/array-json#objects-in-words': read({
    list: (value) =>
      JSON.stringify(
        value.map((one) =>
          one !== null && typeof one === 'object' && !Array.isArray(one) ? '[object Object]' : one,
        ),
      ),
  }),
};
