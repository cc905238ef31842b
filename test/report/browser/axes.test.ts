import type uPlot from 'uplot';
import { expect, test } from 'vitest';
import { yAxisWidth, yScale } from '../../../src/report/browser/chart/axes.ts';
import type { ChartData } from '../../../src/report/html/charts/chart-data.ts';

test('the y axis has room for its longest words, and is mostly as wide as others', () => {
  const widthOf = (text: string): number => 7 * text.length;
  expect(yAxisWidth(['0/s', '100,000/s'], widthOf)).toBe(9 * 7 + 16);
  expect(yAxisWidth(['0/s', '500/s'], widthOf)).toBe(66);
  expect(yAxisWidth(null, widthOf)).toBe(66);
});

test.each([50, 5_000_000])('a bound of %i µs is in view, however far from the lines', (value) => {
  const data = { logarithmic: true, limits: [{ label: 'p99', value }] } as unknown as ChartData;
  const { range } = yScale(data);
  const plot = {
    data: [
      [0, 1],
      [2000, 3000],
    ],
  } as unknown as uPlot;
  const [low, high] = (range as (...args: unknown[]) => [number, number])(plot, 2000, 3000, 'y');
  expect(low).toBeLessThanOrEqual(Math.min(value, 2000));
  expect(high).toBeGreaterThanOrEqual(Math.max(value, 3000));
});

test('the y axis of builds is close to their values, and none of zeros is beyond 100 %', () => {
  const { range } = yScale({ xKind: 'build' } as unknown as ChartData);
  const rangeOf = range as unknown as (...args: unknown[]) => [number, number];
  expect(rangeOf({}, 0, 0)).toEqual([0, 1]);
  const [low, high] = rangeOf({}, 3000, 3300);
  expect(low).toBeGreaterThan(2800);
  expect(high).toBeLessThan(3500);
});
