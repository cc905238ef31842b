import { expect, test } from 'vitest';
import type { ThresholdResult } from '../../../src/documents/load.ts';
import { formatShift, formatSpan, shiftWords } from '../../../src/report/text/quantities.ts';
import { marginWords } from '../../../src/report/text/tables.ts';

test.each([
  ['59.4 s', 59_400],
  ['1 min', 59_600],
  ['2 min', 119_700],
  ['2 min 59 s', 179_400],
  ['1 h', 3_599_800],
])('%s for %i ms', (words, ms) => {
  expect(formatSpan(new Date(0).toISOString(), new Date(ms).toISOString())).toBe(words);
});

test('a shift that was cut at ten times as much is said to be more', () => {
  expect(formatShift(900)).toBe('> +900 %');
  expect(formatShift(899.9)).toBe('+899.9 %');
  expect(shiftWords({ shiftPercent: 40, low: -10, high: 900 })).toBe(
    '+40.0 % (−10.0 % to > +900 %)',
  );
});

const p99: ThresholdResult = {
  expression: 'p99<100us',
  metric: 'p99',
  unit: 'us',
  comparison: '<',
  bound: 100,
  observed: 26_000,
  held: false,
};

test.each<[words: string, threshold: Partial<ThresholdResult>]>([
  ['260 x the bound', {}],
  ['77,823 x the bound', { observed: 7_782_300 }],
  ['2.5 x the bound', { observed: 250 }],
  ['exceeded by 40 %', { observed: 140 }],
  ['75 %', { observed: 25, held: true }],
  ['–', { judged: false }],
  ['–', { observed: null }],
  ['–', { bound: 0 }],
  ['40 % below the bound', { comparison: '>', observed: 60 }],
  ['20 %', { comparison: '>', observed: 120, held: true }],
])('the margin is %s', (words, threshold) => {
  expect(marginWords({ ...p99, ...threshold })).toBe(words);
});
