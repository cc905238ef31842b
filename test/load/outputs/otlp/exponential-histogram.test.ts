import type { ExponentialHistogram } from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { exponentialHistogramOf } from '../../../../src/load/outputs/otlp/exponential-histogram.ts';
import { LatencyHistogram } from '../../../../src/load/record/histogram.ts';
import fc from '../../../support/property.ts';

function recorded(us: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const one of us) histogram.record(one);
  return histogram;
}

const of = (...parts: readonly (readonly number[])[]): ExponentialHistogram =>
  exponentialHistogramOf(parts.map((us) => recorded(us).toData()));

const boundsOf = ({ scale, positive: { offset } }: ExponentialHistogram, at: number) => {
  const base = 2 ** (2 ** -scale);
  return { lowS: base ** (offset + at), highS: base ** (offset + at + 1) };
};

describe('an exponential histogram', () => {
  it('holds each value in the bucket whose bounds include it', () => {
    const histogram = of([1500, 1500, 40_000]);
    const { positive, count, sum, min, max } = histogram;
    expect({ count, min, max }).toEqual({ count: 3, min: 0.0015, max: 0.04 });
    expect(sum).toBeCloseTo(0.043, 12);
    const filled = positive.bucketCounts.flatMap((own, at) =>
      own === 0 ? [] : [{ own, ...boundsOf(histogram, at) }],
    );
    expect(filled.map(({ own }) => own)).toEqual([2, 1]);
    for (const [at, valueS] of [0.0015, 0.04].entries()) {
      // The slot of the recorder is a thousandth wide.
      expect(filled[at]!.lowS).toBeLessThan(valueS * 1.001);
      expect(filled[at]!.highS).toBeGreaterThan(valueS * 0.999);
    }
  });

  it('puts a bound into the bucket below it', () => {
    const histogram = of([1_000_000]);
    expect(histogram.positive.bucketCounts).toEqual([1]);
    expect(boundsOf(histogram, 0).highS).toBe(1);
  });

  it('loses no count and has few buckets, whatever is recorded', () => {
    const latencies = fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(latencies, latencies, (a, b) => {
        const { count, zeroCount, positive, scale } = of(a, b);
        const inBuckets = positive.bucketCounts.reduce((sum, own) => sum + own, 0);
        expect([count, zeroCount + inBuckets]).toEqual([a.length + b.length, a.length + b.length]);
        expect(zeroCount).toBe([...a, ...b].filter((us) => us === 0).length);
        expect(positive.bucketCounts.length).toBeLessThanOrEqual(160);
        expect(scale).toBeLessThanOrEqual(8);
      }),
    );
  });

  it('is as fine as its buckets allow', () => {
    expect(of([1000, 1100]).scale).toBe(8);
    expect(of([1000, 1_000_000]).scale).toBe(4);
  });

  it('is empty without values', () => {
    expect(of([])).toEqual({
      count: 0,
      sum: 0,
      scale: 8,
      zeroCount: 0,
      positive: { offset: 0, bucketCounts: [] },
      negative: { offset: 0, bucketCounts: [] },
    });
  });
});
