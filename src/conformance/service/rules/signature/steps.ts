import { misreadings } from '../../../signature/misreadings.ts';
import type { Check } from '../../contract/check.ts';
import type { Fields } from '../../contract/messages.ts';
import { LISTS, NUMBERS } from './lists-and-numbers.ts';
import { stepChecks } from './step-checks.ts';
import { UTF8, VALUES } from './texts.ts';
import { EXTRA, reversed, type Step, type Witness } from './witness.ts';

/** Values whose order differs from that of their keys. */
const keys = (...names: string[]): Fields =>
  Object.fromEntries(names.map((name, at) => [name, `v${(at * 7) % 10}`]));

const PLAIN: Fields = { [EXTRA]: 'text' };

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
      otherReadings: misreadings(
        'is made of unsorted pairs',
        'is made of pairs sorted in descending order',
        'is made of pairs sorted ignoring case',
        'puts grant_type before the other pairs',
        'is made of pairs sorted by the length of their keys',
        'puts `_` after the other pairs',
        'is made of pairs sorted by value',
      ),
    },
    { what: 'the same fields', fields: {}, neutral: {} },
    {
      what: 'keys that begin with one another',
      fields: keys('a', 'a1', 'aa', 'a-b', 'ab'),
      neutral: PLAIN,
    },
    { what: 'keys with numbers', fields: keys('b10', 'b2', 'b02'), neutral: PLAIN },
    // Objects of JavaScript have them in the order of the numbers.
    { what: 'keys that are whole numbers', fields: keys('10', '9'), neutral: PLAIN, group: 1 },
    { what: 'keys in upper case', fields: keys('Zeta', 'mU', 'my'), neutral: PLAIN },
    {
      what: 'keys that begin with _, ~ and a digit',
      fields: keys('_x', '~x', '9x', 'zzzz'),
      neutral: PLAIN,
      group: 1,
    },
    {
      what: 'a key that begins with é',
      fields: keys('éa', 'f', 'h'),
      neutral: { zé: 'text' },
      group: 2,
    },
  ],
  apart: [
    {
      what: 'the fields of the body in reverse order, scope among them',
      fields: { scope: 'public' },
      neutral: { scope: 'public' },
      otherReadings: misreadings('is made of unsorted pairs'),
    },
    // They are sorted before they are trimmed; whether they are trimmed is another rule.
    {
      what: 'a key with a space before it, which sorts it first',
      fields: { ' zq': 'text' },
      neutral: null,
      otherReadings: misreadings('is made of pairs sorted by their trimmed keys'),
    },
  ],
  inQuery: [
    { what: 'the parameters in reverse order', fields: {}, neutral: {} },
    {
      what: 'parameters that begin with one another',
      fields: keys('a', 'a1', 'aa', 'a-b'),
      neutral: PLAIN,
    },
    { what: 'parameters with numbers', fields: keys('b10', 'b2', '10', '9'), neutral: PLAIN },
    {
      what: 'parameters in upper case, and one that begins with _',
      fields: keys('Zeta', 'my', '_x', 'zzzz'),
      neutral: PLAIN,
    },
  ],
};

/** Readings of an empty value that keep its term. */
const KEPT = misreadings(
  'leaves empty values in',
  'writes only the key of an empty value',
  'writes null for an empty value',
  'writes None for an empty value',
  'writes "" for an empty value',
  'writes an empty term for an empty value',
);

/** An empty field may be refused for itself: only a request signed with it shows a violation. */
const empty = (name: string): Witness => ({
  what: `${name} empty`,
  fields: { [name]: '' },
  neutral: null,
  otherReadings: KEPT,
});

const emptySkipped: Step = {
  rule: 'signature/empty-skipped',
  acceptance: 'shows-signature',
  priority: { rank: 2 },
  metered: 2,
  together: [empty(EXTRA), { ...empty('aa'), group: 1 }, empty('zz')],
  apart: [empty('scope'), empty('refresh_token'), empty('auth_code')],
  inQuery: [empty(EXTRA)],
};

// Space, tab and line breaks are whitespace in every reading; what else is one, the interface leaves
// open. Sorted trimmed or not, these keys stand in the same order.
const trimmed: Step = {
  rule: 'signature/trimmed',
  acceptance: 'shows-signature',
  priority: { rank: 2 },
  metered: 3,
  together: [
    {
      what: 'spaces after a key and around its value',
      fields: { 'Ad  ': '  spaced out  ' },
      neutral: { Ad: 'spaced out' },
      otherReadings: misreadings(
        'leaves whitespace around keys and values',
        'leaves whitespace around values',
        'leaves whitespace around keys',
        'trims only the text as a whole',
      ),
    },
    {
      what: 'a space before a value',
      fields: { ma: ' text' },
      neutral: { ma: 'text' },
    },
    { what: 'a space after a value', fields: { mb: 'text ' }, neutral: { mb: 'text' } },
    { what: 'a space before a key', fields: { ' Ae': 'text' }, neutral: { Ae: 'text' }, group: 2 },
    { what: 'a space after a key', fields: { 'mc ': 'text' }, neutral: { mc: 'text' } },
    {
      what: 'tabs around a key and its value',
      fields: { '\tAa\t': '\ttext\t' },
      neutral: { Aa: 'text' },
      group: 2,
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
      otherReadings: misreadings('leaves whitespace around keys and values'),
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
      otherReadings: misreadings(
        'joins the terms without a separator',
        'joins the terms with "%26"',
        'ends the text with `&`',
      ),
    },
    {
      what: 'joined terms that start with && and end with =&&',
      fields: AT_ENDS,
      neutral: { '!!aa': 'first', '~~zz': 'last=a' },
      otherReadings: misreadings(
        'leaves `&` at an end of the text',
        'strips `&` at the start only',
        'strips `&` at the end only',
        'strips one `&` at each end',
      ),
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
      group: 1,
      otherReadings: misreadings('writes `&` for `&amp;` in values'),
    },
  ],
  inQuery: [
    {
      what: 'joined terms that start with && and end with =&&',
      fields: AT_ENDS,
      neutral: { '!!aa': 'first', '~~zz': 'last=a' },
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
