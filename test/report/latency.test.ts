import { build, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import type { ThresholdTerms } from '../../src/documents/load.ts';
import { decodeHistogram, percentileCurve } from '../../src/report/latency/distribution.ts';
import { thinSeries } from '../../src/report/latency/thin-series.ts';
import {
  formatBytes,
  formatShare,
  formatUs,
  quantileName,
} from '../../src/report/text/quantities.ts';
import { marginPercent, observedWords } from '../../src/report/text/tables.ts';
import fc from '../support/property.ts';
import { loadSample } from './samples/load-sample.ts';

const latencies = fc.array(fc.integer({ min: 1, max: 60_000_000 }), {
  minLength: 1,
  maxLength: 300,
});

function histogramOf(values: readonly number[]): Histogram {
  const histogram = build({ numberOfSignificantValueDigits: 3 });
  for (const value of values) histogram.recordValue(value);
  return histogram;
}

describe('a histogram', () => {
  test('is decoded with three digits of precision', () => {
    fc.assert(
      fc.property(latencies, (values) => {
        const decoded = decodeHistogram(encodeIntoCompressedBase64(histogramOf(values))) ?? [];
        const all = decoded.flatMap(({ us, count }) => Array.from({ length: count }, () => us));
        const sorted = values.toSorted((a, b) => a - b);
        expect(all).toHaveLength(values.length);
        all.forEach((us, at) => {
          expect(Math.abs(us - sorted[at]!)).toBeLessThanOrEqual(sorted[at]! / 1000 + 1);
        });
      }),
      { numRuns: 50 },
    );
  });

  test.each(['', 'AAAA', 'not base64 at all', 'HISTFAAAABx42pNpmSzMwMDAxQABzFCa'])(
    'that is %j is told from one',
    (text) => {
      expect(decodeHistogram(text)).toBeNull();
    },
  );

  test('as a curve has the percentiles of the library that recorded it', () => {
    fc.assert(
      fc.property(latencies, (values) => {
        const histogram = histogramOf(values);
        const decoded = decodeHistogram(encodeIntoCompressedBase64(histogram)) ?? [];
        const { at, us } = percentileCurve(decoded);
        const median = us[at.indexOf(0)]!;
        expect(histogram.minNonZeroValue).toBeGreaterThanOrEqual(median);
        for (const nines of [1, 2]) {
          const index = at.indexOf(nines);
          if (index < 0) continue;
          const theirs = histogram.getValueAtPercentile(100 * (1 - 10 ** -nines));
          expect(Math.abs(us[index]! - theirs)).toBeLessThanOrEqual(theirs / 500 + 1);
        }
        expect(us).toEqual(us.toSorted((a, b) => a - b));
        expect(us.at(-1)).toBe(decoded.at(-1)?.us);
      }),
      { numRuns: 50 },
    );
  });

  test('without values is empty', () => {
    expect(percentileCurve([])).toEqual({ at: [], us: [] });
  });
});

test('a thinned series keeps the worst latency and every failure', () => {
  const { series } = loadSample(600);
  const thinned = thinSeries(series, 100);
  expect(thinned).toHaveLength(100);
  const worst = (points: typeof series): number => Math.max(...points.map(({ max }) => max));
  const failed = (points: typeof series): number =>
    points.reduce((n, point) => n + point.failed, 0);
  expect(worst(thinned)).toBe(worst(series));
  expect(failed(thinned)).toBe(failed(series));
  const due = thinSeries(
    series.map((point) => ({ ...point, sent: 9, ready: 10 })),
    100,
  );
  expect(due[0]).toMatchObject({ sent: 9 * 6, ready: 10 * 6 });
  expect(thinSeries(series, 600)).toEqual(series);
});

test('late answers do not lower the rate that they are merged with', () => {
  const [point] = loadSample(1).series;
  const at = (rate: number, drained?: true) => ({
    ...point!,
    rate,
    plannedRate: rate,
    ...(drained && { drained }),
  });
  const [whole, mixed, late] = thinSeries(
    [at(10), at(20), at(30), at(2, true), at(4, true), at(6, true)],
    3,
  );
  expect([whole?.rate, mixed?.rate, mixed?.plannedRate, late?.rate]).toEqual([15, 30, 30, 5]);
  expect([whole?.drained, mixed?.drained, late?.drained]).toEqual([undefined, undefined, true]);
});

test.each<
  [Pick<ThresholdTerms, 'unit' | 'comparison' | 'bound'>, number | null, string, number | null]
>([
  [{ unit: 'us', comparison: '<', bound: 20_000 }, 15_000, '15 ms', 25],
  [{ unit: 'us', comparison: '<=', bound: 20_000 }, 25_000, '25 ms', -25],
  [{ unit: 'requests/s', comparison: '>', bound: 4000 }, 5000, '5,000/s', 25],
  [{ unit: 'share', comparison: '<', bound: 0.01 }, 0.0025, '0.25 %', 75],
  [{ unit: 'share', comparison: '<', bound: 0 }, 0.1, '10 %', null],
  [{ unit: 'us', comparison: '<', bound: 20_000 }, null, 'no data', null],
])('of %j with %d observed the margin is known', (terms, observed, words, margin) => {
  const threshold = { expression: 'any text', metric: 'any', ...terms, observed, held: true };
  expect(observedWords(threshold)).toBe(words);
  if (margin === null) expect(marginPercent(threshold)).toBeNull();
  else expect(marginPercent(threshold)).toBeCloseTo(margin);
});

test('quantities are formatted for readers', () => {
  expect([0, 412, 3806, 128_400, 1_250_000].map(formatUs)).toEqual([
    '0 µs',
    '412 µs',
    '3.81 ms',
    '128 ms',
    '1.25 s',
  ]);
  expect([0, 0.00048, 0.951, 1, -3.8].map(formatShare)).toEqual([
    '0 %',
    '0.048 %',
    '95.1 %',
    '100 %',
    '−380 %',
  ]);
  expect([1, 1024, 118_000_000].map(formatBytes)).toEqual(['1 B', '1 KiB', '113 MiB']);
  expect([0, 0.5, 0.999, 0.99999, 1].map(quantileName)).toEqual([
    'min',
    'p50',
    'p99.9',
    'p99.999',
    'max',
  ]);
});
