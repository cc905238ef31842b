import { build, decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { LatencyHistogram, stepUs, valuesOf } from '../../../src/load/record/histogram.ts';
import fc from '../../support/property.ts';

const latency = fc.oneof(
  fc.integer({ min: 0, max: 3000 }),
  fc.integer({ min: 0, max: 1_000_000 }),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);
const PERCENTILES = [0.001, 1, 25, 50, 75, 90, 99, 99.9, 99.99, 99.999, 100];

function recorded(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

describe('LatencyHistogram', () => {
  it('takes values back as if they had not been recorded, but for min and max within their slots', () => {
    fc.assert(
      fc.property(
        fc.array(latency, { maxLength: 100 }),
        fc.array(latency, { minLength: 1, maxLength: 100 }),
        (kept, taken) => {
          const ours = recorded([...kept, ...taken]);
          for (const value of taken) ours.remove(value);
          const { minUs, maxUs, ...counts } = ours.toData();
          const { minUs: leastUs, maxUs: mostUs, ...expected } = recorded(kept).toData();
          expect(counts).toEqual(expected);
          expect(Math.abs(minUs - leastUs)).toBeLessThan(stepUs(leastUs));
          expect(Math.abs(maxUs - mostUs)).toBeLessThan(stepUs(mostUs));
        },
      ),
    );
  });

  it('has the percentiles of HdrHistogram, clamped to the exact min and max', () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), (values) => {
        const ours = recorded(values);
        const theirs = build({ bitBucketSize: 64, highestTrackableValue: 2 ** 40 });
        for (const value of values) theirs.recordValue(value);
        const [min, max] = [Math.min(...values), Math.max(...values)];
        for (const percentile of PERCENTILES) {
          const reference = Math.min(Math.max(theirs.getValueAtPercentile(percentile), min), max);
          expect(ours.percentileUs(percentile)).toBe(reference);
        }
      }),
    );
  });

  it('encodes to a format that any HDR reader decodes to the same counts', () => {
    fc.assert(
      fc.property(fc.array(latency, { maxLength: 200 }), (values) => {
        const opened = decodeFromCompressedBase64(recorded(values).encode(), 64);
        const theirs = build({ bitBucketSize: 64, highestTrackableValue: 2 ** 40 });
        for (const value of values) theirs.recordValue(value);
        expect(opened.totalCount).toBe(values.length);
        expect(opened.highestTrackableValue).toBe(2 ** 32 - 1);
        for (const percentile of PERCENTILES) {
          expect(opened.getValueAtPercentile(percentile)).toBe(
            theirs.getValueAtPercentile(percentile),
          );
        }
      }),
      { numRuns: 30 },
    );
  });

  it('merges parts to the histogram of all samples', () => {
    const part = fc.array(latency, { maxLength: 100 });
    fc.assert(
      fc.property(part, part, part, part, (...parts) => {
        const merged = new LatencyHistogram();
        for (const values of parts) {
          const data = recorded(values).toData();
          merged.merge(JSON.parse(JSON.stringify(data)) as typeof data);
        }
        expect(merged.toData()).toEqual(recorded(parts.flat()).toData());
      }),
    );
  });

  it('keeps min, max, sum and count exact, fractions included', () => {
    const histogram = recorded([0.25, 10_000.5, 123_456.789]);
    expect(histogram.summary()).toMatchObject({ min: 0.25, max: 123_456.789, count: 3 });
    expect(histogram.summary().mean).toBeCloseTo((0.25 + 10_000.5 + 123_456.789) / 3, 3);
    expect(histogram.percentileUs(100)).toBe(123_456.789);
  });

  it('is all 0 without values, and accepts values outside its range', () => {
    const histogram = new LatencyHistogram();
    expect(histogram.summary()).toEqual({
      min: 0,
      p50: 0,
      p90: 0,
      p99: 0,
      p99_9: 0,
      p99_99: 0,
      max: 0,
      mean: 0,
      count: 0,
    });
    expect(histogram.at(99)).toBeNull();
    histogram.record(-5);
    histogram.record(2 ** 40);
    expect(histogram.summary()).toMatchObject({ min: 0, max: 2 ** 40, count: 2 });
  });

  it('gives a percentile, or an exact figure', () => {
    const histogram = recorded([2, 4, 12]);
    expect([50, 100, 'min', 'mean', 'max'].map((at) => histogram.at(at as 50))).toEqual([
      4, 12, 2, 6, 12,
    ]);
    expect(histogram.maxUs).toBe(12);
    expect(new LatencyHistogram().maxUs).toBe(0);
  });

  it('takes 55 % of 100 samples for 55, though floats make a little more of it', () => {
    const percentiles = Array.from({ length: 100 }, (_, index) => index + 1);
    const histogram = recorded(percentiles);
    expect(percentiles.map((at) => histogram.percentileUs(at))).toEqual(percentiles);
    expect(histogram.percentileUs(55.1)).toBe(56);
  });

  it('has slots of 1 µs up to 2047 µs, twice as wide in each power of two after it', () => {
    expect([0, 1, 2047, 2048, 4095, 4096, 8192, 2 ** 31].map(stepUs)).toEqual([
      1,
      1,
      1,
      2,
      2,
      4,
      8,
      2 ** 21,
    ]);
  });

  it('can be filled again after resets, empty or not', () => {
    const histogram = new LatencyHistogram();
    histogram.reset();
    for (const values of [[3], [3], [0], [3], [2 ** 31, 5], [4]]) {
      for (const value of values) histogram.record(value);
      expect(histogram.toData()).toEqual(recorded(values).toData());
      histogram.reset();
    }
  });

  it('has pairs of slot and count as data, of slots with samples only', () => {
    expect(recorded([5, 2, 5]).toData()).toEqual({
      slots: [2, 1, 5, 2],
      count: 3,
      sumUs: 12,
      minUs: 2,
      maxUs: 5,
    });
    const none = { slots: [], count: 0, sumUs: 0, minUs: 0, maxUs: 0 };
    expect(new LatencyHistogram().toData()).toEqual(none);
  });

  it('takes 55 % of 100 million samples for 55 million', () => {
    const slots = [1, 55e6, 2, 45e6];
    const histogram = new LatencyHistogram();
    histogram.merge({ slots, count: 1e8, sumUs: 145e6, minUs: 1, maxUs: 2 });
    expect((55 / 100) * 1e8).toBeGreaterThan(55e6);
    expect(histogram.percentileUs(55)).toBe(1);
  });

  it('has its exact maximum as p100, outside of its range too', () => {
    expect(recorded([5, 2 ** 40]).percentileUs(100)).toBe(2 ** 40);
    expect(recorded([5, 2 ** 40]).percentileUs(50)).toBe(5);
  });

  it('has its exact maximum as p100 below one microsecond, after a reset too', () => {
    const histogram = new LatencyHistogram();
    for (const values of [
      [0.1, 0.4],
      [0.2, 0.3],
    ]) {
      for (const value of values) histogram.record(value);
      expect(histogram.percentileUs(100)).toBe(values[1]);
      histogram.reset();
    }
  });

  it('is empty after a reset', () => {
    const histogram = recorded([1, 5000, 2 ** 31]);
    histogram.reset();
    expect(histogram.toData()).toEqual(new LatencyHistogram().toData());
    histogram.record(7);
    expect(histogram.summary()).toMatchObject({ min: 7, p50: 7, max: 7, count: 1 });
  });
});

describe('valuesOf', () => {
  it('gives the exact values of slots of one microsecond, each with its count', () => {
    expect(valuesOf(recorded([5, 2, 5]).toData())).toEqual([
      [2, 1],
      [5, 2],
    ]);
    expect(valuesOf(new LatencyHistogram().toData())).toEqual([]);
  });

  it('gives the middle of a wider slot, but nothing beyond the exact min and max', () => {
    // Slots of 2 µs from 2048, of 8 µs from 8192 and of 16 µs from 16384.
    expect(valuesOf(recorded([2049, 3000, 9002, 9003, 16_385]).toData())).toEqual([
      [2049, 1],
      [3000.5, 1],
      [9003.5, 2],
      [16_385, 1],
    ]);
  });
});
