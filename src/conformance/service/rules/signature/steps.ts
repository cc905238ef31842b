import type { Check } from '../../contract/check.ts';
import type { Fields } from '../../contract/messages.ts';
import { LISTS, NUMBERS } from './lists-and-numbers.ts';
import { stepChecks } from './step-checks.ts';
import { UTF8, VALUES } from './texts.ts';
import {
  EXTRA,
  type OtherReading,
  reversed,
  type Step,
  sorted,
  termsOf,
  type Witness,
  withTerm,
  withWholeTerm,
} from './witness.ts';

/** Values whose order differs from that of their keys. */
const keys = (...names: string[]): Fields =>
  Object.fromEntries(names.map((name, at) => [name, `v${(at * 7) % 10}`]));

const PLAIN: Fields = { [EXTRA]: 'text' };

const inOrder =
  (order: (a: string, b: string) => number) =>
  (fields: Fields): string =>
    termsOf(Object.fromEntries(Object.entries(fields).sort(([a], [b]) => order(a, b))));

const withoutCase = (a: string, b: string): number => compare(a.toLowerCase(), b.toLowerCase());

const rank = (key: string): number => Number(key !== 'grant_type');

const byValue = (fields: Fields): string =>
  termsOf(
    Object.fromEntries(
      Object.entries(fields).sort(([, a], [, b]) => compare(String(a), String(b))),
    ),
  );

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

// No two keys differ only in case: some readers of JSON take them for one.
const keyOrder: Step = {
  rule: 'signature/key-order',
  acceptance: 'shows-signature',
  priority: { rank: 1 },
  metered: 3,
  arrange: reversed,
  together: [
    {
      what: 'the fields of the body in reverse order',
      fields: {},
      neutral: null,
      otherReadings: [
        ['in the order of the body', (fields) => termsOf(fields)],
        ['in the reverse order of keys', inOrder((a, b) => compare(b, a))],
        ['in the order of keys, sorted without regard to case', inOrder(withoutCase)],
        ['with grant_type first', inOrder((a, b) => rank(a) - rank(b) || compare(a, b))],
        ['in the order of length', inOrder((a, b) => a.length - b.length || compare(a, b))],
        ['with _ last', inOrder((a, b) => Number(a === '_') - Number(b === '_') || compare(a, b))],
        ['in the order of values', byValue],
      ],
    },
    { what: 'the same fields', fields: {}, neutral: {} },
    {
      what: 'keys that begin with one another',
      fields: keys('a', 'a1', 'aa', 'a-b', 'ab'),
      neutral: PLAIN,
    },
    { what: 'keys with numbers', fields: keys('b10', 'b2', 'b02'), neutral: PLAIN },
    { what: 'keys in upper case', fields: keys('Zeta', 'mU', 'my'), neutral: PLAIN },
    {
      what: 'keys that begin with _, ~ and a digit',
      fields: keys('_x', '~x', '9x', 'zzzz'),
      neutral: PLAIN,
    },
    {
      what: 'a key that begins with é',
      fields: keys('éa', 'f', 'h'),
      neutral: { zé: 'text' },
    },
  ],
  apart: [
    {
      what: 'the fields of the body in reverse order, scope among them',
      fields: { scope: 'public' },
      neutral: { scope: 'public' },
      otherReadings: [['in the order of the body', (fields) => termsOf(fields)]],
    },
    // They are sorted before they are trimmed; whether they are trimmed is another rule.
    {
      what: 'a key with a space before it, which sorts it first',
      fields: { ' zq': 'text' },
      neutral: null,
      otherReadings: [
        [
          'in the order of trimmed keys',
          (fields) =>
            termsOf(sorted(fields), (key, value) => `${key.trim()}=${value.trim()}`)
              .split('&')
              .sort((a, b) => compare(a, b))
              .join('&'),
        ],
      ],
    },
  ],
  inQuery: [
    { what: 'the parameters in reverse order', fields: {}, neutral: {} },
    {
      what: 'parameters that begin with one another',
      fields: keys('a', 'a1', 'aa', 'a-b'),
      neutral: PLAIN,
    },
    { what: 'parameters with numbers', fields: keys('b10', 'b2'), neutral: PLAIN },
    {
      what: 'parameters in upper case, and one that begins with _',
      fields: keys('Zeta', 'my', '_x', 'zzzz'),
      neutral: PLAIN,
    },
  ],
};

/** Readings of an empty value that keep its term. */
const keptAs = (name: string): readonly OtherReading[] => [
  [`with the term ${name}=`, (fields) => withTerm(fields, name, '')],
  [`with the term ${name}`, (fields) => withWholeTerm(fields, name, name)],
  [`with the term ${name}=null`, (fields) => withTerm(fields, name, 'null')],
  [`with the term ${name}=None`, (fields) => withTerm(fields, name, 'None')],
  [`with the term ${name}=""`, (fields) => withTerm(fields, name, '""')],
  ['with an empty term', (fields) => withWholeTerm(fields, name, '')],
];

/** An empty field may be refused for itself: only a request signed with it shows a violation. */
const empty = (name: string): Witness => ({
  what: `${name} empty`,
  fields: { [name]: '' },
  neutral: null,
  otherReadings: keptAs(name),
});

const emptySkipped: Step = {
  rule: 'signature/empty-skipped',
  acceptance: 'shows-signature',
  priority: { rank: 2 },
  metered: 2,
  together: [empty(EXTRA), empty('aa'), empty('zz')],
  apart: [empty('scope'), empty('refresh_token'), empty('auth_code')],
};

const UNTRIMMED: readonly OtherReading[] = [
  ['with nothing trimmed', (fields) => termsOf(sorted(fields))],
  [
    'with the key only trimmed',
    (fields) => termsOf(sorted(fields), (key, value) => `${key.trim()}=${value}`),
  ],
  [
    'with the value only trimmed',
    (fields) => termsOf(sorted(fields), (key, value) => `${key}=${value.trim()}`),
  ],
  ['with S trimmed as a whole', (fields) => termsOf(sorted(fields)).trim()],
];

// Space, tab and line breaks are whitespace in every reading; what else is one, the interface leaves
// open. Sorted trimmed or not, these keys stand in the same order.
const trimmed: Step = {
  rule: 'signature/trimmed',
  acceptance: 'shows-signature',
  priority: { rank: 2 },
  metered: 3,
  together: [
    {
      what: 'spaces around a key and its value',
      fields: { '  Ad ': '  spaced out  ' },
      neutral: { Ad: 'spaced out' },
      otherReadings: UNTRIMMED,
    },
    {
      what: 'a space before a value',
      fields: { ma: ' text' },
      neutral: { ma: 'text' },
    },
    { what: 'a space after a value', fields: { mb: 'text ' }, neutral: { mb: 'text' } },
    { what: 'a space before a key', fields: { ' Ae': 'text' }, neutral: { Ae: 'text' } },
    { what: 'a space after a key', fields: { 'mc ': 'text' }, neutral: { mc: 'text' } },
    {
      what: 'tabs around a key and its value',
      fields: { '\tAa\t': '\ttext\t' },
      neutral: { Aa: 'text' },
    },
    {
      what: 'line breaks around a value',
      fields: { md: '\r\ntext\n' },
      neutral: { md: 'text' },
    },
    {
      what: 'spaces within a value',
      fields: { me: ' two  words and  more ' },
      neutral: { me: 'text' },
    },
    {
      what: 'spaces around a quoted value',
      fields: { mf: ' "quoted" ' },
      neutral: { mf: 'a "quoted" text' },
    },
  ],
  apart: [
    {
      what: 'a space after the scope',
      fields: { scope: 'public ' },
      neutral: null,
      otherReadings: [['with nothing trimmed', (fields) => termsOf(fields)]],
    },
  ],
  inQuery: [
    {
      what: 'spaces around a name',
      fields: { from_name: '  Gate 1, west ' },
      neutral: { from_name: 'Gate 1, west' },
    },
    {
      what: 'a space before a name',
      fields: { to_name: ' Gate 1' },
      neutral: { to_name: 'Gate 1' },
    },
    { what: 'a space after a value', fields: { ma: 'Gate 1 ' }, neutral: { ma: 'Gate 1' } },
    {
      what: 'tabs and line breaks around a value',
      fields: { mb: '\tGate 1\r\n' },
      neutral: { mb: 'Gate 1' },
    },
  ],
};

const AT_ENDS: Fields = { '&&aa': 'first', '~~zz': 'last=&&' };

const ampersandsStripped: Step = {
  rule: 'signature/ampersands-stripped',
  acceptance: 'shows-signature',
  priority: { rank: 2 },
  metered: 3,
  together: [
    {
      what: 'joined terms',
      fields: {},
      neutral: null,
      otherReadings: [
        ['with no & between the terms', (fields) => termsOf(sorted(fields)).replaceAll('&', '')],
        ['with %26 between the terms', (fields) => termsOf(sorted(fields)).replaceAll('&', '%26')],
        ['with & at the end', (fields) => `${termsOf(sorted(fields))}&`],
      ],
    },
    {
      what: 'joined terms that start with && and end with =&&',
      fields: AT_ENDS,
      atEnds: true,
      neutral: { '!!aa': 'first', '~~zz': 'last=&&a' },
      otherReadings: [
        ['with the ampersands left', (fields) => termsOf(sorted(fields))],
        [
          'with the leading ones only stripped',
          (fields) => termsOf(sorted(fields)).replace(/^&+/, ''),
        ],
        ['with the trailing ones only stripped', (fields) => termsOf(sorted(fields)).slice(0, -2)],
        ['with one stripped at each end', (fields) => termsOf(sorted(fields)).slice(1, -1)],
      ],
    },
    {
      what: 'ampersands around a value in the middle',
      fields: { mm: '&in&&the&middle&' },
      neutral: { mm: 'in the middle' },
    },
    {
      what: 'ampersands around a key in the middle',
      fields: { 'm&&': 'text' },
      neutral: { 'm!!': 'text' },
    },
    {
      what: 'the text &amp; in a value',
      fields: { mn: 'this &amp; that' },
      neutral: null,
      otherReadings: [['with & in its place', (fields) => withTerm(fields, 'mn', 'this & that')]],
    },
  ],
  inQuery: [
    {
      what: 'joined terms that start with && and end with =&&',
      fields: AT_ENDS,
      neutral: { '!!aa': 'first', '~~zz': 'last=&&a' },
    },
    {
      what: 'ampersands around a value in the middle',
      fields: { mm: '&in&&the&middle&' },
      neutral: { mm: 'in, the middle' },
    },
  ],
};

const STEPS: readonly Step[] = [
  VALUES,
  keyOrder,
  emptySkipped,
  NUMBERS,
  trimmed,
  LISTS,
  UTF8,
  ampersandsStripped,
];

/** The steps that one refresh shows, in the order in which exchanges show them. */
export const STEPS_TOGETHER: readonly Step[] = [
  keyOrder,
  UTF8,
  trimmed,
  LISTS,
  emptySkipped,
  ampersandsStripped,
  NUMBERS,
  VALUES,
];

/** Checks of the steps that lead to the signature (interface.md, "Signature algorithm"). */
export const checksOfSteps: readonly Check[] = stepChecks(STEPS, STEPS_TOGETHER);
