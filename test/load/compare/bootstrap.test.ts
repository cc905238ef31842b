import { describe, expect, it } from 'vitest';
import { differenceOfMeans, valuesThatBound } from '../../../src/load/compare/bootstrap.ts';
import { createRandom } from '../../../src/load/seeded-random.ts';

const difference = (
  a: readonly number[],
  b: readonly number[],
  over: Partial<Parameters<typeof differenceOfMeans>[0]> = {},
) =>
  differenceOfMeans({
    a,
    b,
    paired: false,
    confidence: 0.95,
    random: createRandom(1),
    ...over,
  });

describe('differenceOfMeans', () => {
  it('is a point if nothing varies', () => {
    expect(difference([1, 1], [3, 3])).toEqual({ estimate: 2, low: 2, high: 2 });
  });

  it('is at least as wide as told', () => {
    const point = difference([1, 1], [3, 3], { leastHalfWidth: 0.5 });
    expect(point).toEqual({ estimate: 2, low: 1.5, high: 2.5 });
  });

  it.each([{ paired: false }, { paired: true }])(
    'estimates how much larger the second mean is, $paired',
    ({ paired }) => {
      expect(difference([1, 2, 3], [11, 12, 16], { paired }).estimate).toBeCloseTo(11, 12);
    },
  );

  it.each([
    ['high', [1, 1, 1, 1, 1, 5], [11, 11, 11, 11, 11, 31], false, 30],
    ['low', [5, 5, 5, 5, 5, 1], [31, 31, 31, 31, 31, 11], false, 6],
    ['high', [0, 0, 0, 0, 0, 0, 0], [4, 4, 4, 4, 4, 4, 9], true, 9],
    ['low', [0, 0, 0, 0, 0, 0, 0], [4, 4, 4, 4, 4, 4, 2], true, 2],
  ] as const)(
    'ends where the observed differences end: its %s end, of %j and %j, paired: %s',
    (end, a, b, paired, value) => {
      expect(difference(a, b, { paired })[end]).toBe(value);
    },
  );

  it.each([
    ['high', [0, 0, 0], [4, 4, 9], false, Infinity],
    ['low', [0, 0, 0], [4, 4, 2], false, -Infinity],
    ['high', [0, 0, 0, 0, 0, 0], [4, 4, 4, 4, 4, 9], true, Infinity],
    ['low', [0, 0, 0, 0, 0, 0], [4, 4, 4, 4, 4, 2], true, -Infinity],
  ] as const)(
    'has no %s end if the values are too few for that, of %j and %j, paired: %s',
    (end, a, b, paired, value) => {
      expect(difference(a, b, { paired })[end]).toBe(value);
    },
  );

  const a = [1, 2, 4, 7, 3, 5, 8, 6];
  const b = [11, 15, 12, 19, 13, 14, 16, 18];
  it.each([
    ['two sides', 6, {}, 7.52242, 14.174108],
    ['two sides with less confidence', 6, { confidence: 0.8 }, 8.505667, 12.612934],
    ['two sides and fewer resamples', 6, { resamples: 200 }, 7.361971, 14.635469],
    ['two sides of rounded values', 6, { valueError: 2 }, 7.670957, 13.325917],
    ['two sides of three values', 3, {}, 6.358101, 15],
    ['pairs', 6, { paired: true }, 8.516306, 13.108887],
    ['pairs of rounded values', 6, { paired: true, valueError: 2 }, 8.895952, 11.733374],
    ['pairs that are enough to bound it', 8, { paired: true }, 8.687473, 12.050298],
  ])('gives the same interval for the same seed: %s', (_case, count, over, low, high) => {
    const interval = difference(a.slice(0, count), b.slice(0, count), over);
    expect(interval.low).toBeCloseTo(low, 5);
    expect(interval.high).toBeCloseTo(high, 5);
  });

  it('does not depend on what the values have in common', () => {
    const far = (values: readonly number[]): number[] => values.map((value) => value + 1e9);
    const near = difference(a, b);
    const moved = difference(far(a), far(b));
    for (const at of ['estimate', 'low', 'high'] as const) {
      expect(moved[at]).toBeCloseTo(near[at], 5);
    }
  });
});

describe('valuesThatBound', () => {
  // Of n values a side, all of one lie beyond all of the other in 2 of (2n over n) draws.
  it.each([
    [0.2, 2],
    [0.5, 3],
    [0.95, 4],
    [0.98, 5],
    [0.99, 6],
  ])('at a confidence of %d is %d', (confidence, values) => {
    expect(valuesThatBound(confidence)).toBe(values);
  });
});
