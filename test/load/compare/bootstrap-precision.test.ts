import { expect, it } from 'vitest';
import { differenceOfMeans, type Interval } from '../../../src/load/compare/bootstrap.ts';
import { createRandom } from '../../../src/load/seeded-random.ts';

const difference = (a: readonly number[], b: readonly number[]): Interval =>
  differenceOfMeans({ a, b, paired: false, confidence: 0.95, random: createRandom(1) });

it('equal values have no scatter, also where their sum is rounded', () => {
  // 3 * (0.5 - 0.2)² less the square of their sum is 5.6e-17.
  const { low, high } = difference([0, 0, 0], [0.2, 0.5, 0.5]);
  expect([low, high]).toEqual([-Infinity, Infinity]);
  expect(difference([0], [0.2])).toEqual({ estimate: 0.2, low: 0.2, high: 0.2 });
});

it('an interval scales with its values', () => {
  const [a, b] = [
    [1, 2, 4, 7],
    [11, 15, 12, 19],
  ];
  const scaled = (values: readonly number[] = []) => values.map((value) => value * 1e-8);
  const plain = difference(a ?? [], b ?? []);
  const small = difference(scaled(a), scaled(b));
  for (const at of ['estimate', 'low', 'high'] as const) {
    expect(small[at] / 1e-8).toBeCloseTo(plain[at], 6);
  }
  expect(plain.high - plain.low).toBeGreaterThan(5);
});

it('weighs sides of different sizes each by its own', () => {
  // By Student: 10, plus or minus twice the root of 8 / 7 / 8 + 32 / 31 / 32, about 0.85.
  const few = [-1, 1, -1, 1, -1, 1, -1, 1];
  const many = [...few, ...few, ...few, ...few].map((value) => 10 + value);
  const { low, high } = difference(few, many);
  expect(low).toBeCloseTo(9.078881, 5);
  expect(high).toBeCloseTo(10.935224, 5);
});
