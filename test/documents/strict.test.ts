import { expect, test } from 'vitest';
import { ALL_SAMPLES } from '../report/samples/all-samples.ts';
import { strictProblems } from '../support/strict-document.ts';

const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test.each(Object.entries(ALL_SAMPLES))('a document (%s) has no unknown field', (_, sample) => {
  expect(strictProblems(stored(sample))).toEqual([]);
});

test('an unknown field is found at any depth', () => {
  const { load, comparison } = ALL_SAMPLES;
  expect(strictProblems({ ...load, later: 1 }).join()).toContain('"later"');
  const runs = { a: [{ ...load, generator: { later: 1 } }], b: [] };
  expect(strictProblems(stored({ ...comparison, runs })).join()).toContain('"later"');
});
