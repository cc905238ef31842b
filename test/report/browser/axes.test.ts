import { expect, test } from 'vitest';
import { yAxisWidth } from '../../../src/report/browser/chart/axes.ts';

test('the y axis has room for its longest words, and is mostly as wide as others', () => {
  const widthOf = (text: string): number => 7 * text.length;
  expect(yAxisWidth(['0/s', '100,000/s'], widthOf)).toBe(9 * 7 + 16);
  expect(yAxisWidth(['0/s', '500/s'], widthOf)).toBe(66);
  expect(yAxisWidth(null, widthOf)).toBe(66);
});
