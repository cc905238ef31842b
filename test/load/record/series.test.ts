import { describe, expect, it } from 'vitest';
import { LatencyHistogram } from '../../../src/load/record/histogram.ts';
import { SeriesCollector } from '../../../src/load/record/series.ts';

/** A second with these latencies, in microseconds; one of them failed if so said. */
function second(number: number, latenciesUs: readonly number[], failed = 0) {
  const histogram = new LatencyHistogram();
  for (const us of latenciesUs) histogram.record(us);
  return {
    second: number,
    ok: latenciesUs.length - failed,
    failed,
    sent: latenciesUs.length,
    ready: latenciesUs.length,
    response: histogram.toData(),
  };
}

const zeros = (t: number) => ({ t, rate: 0, p50: 0, p99: 0, max: 0, failed: 0, sent: 0, ready: 0 });

describe('a series', () => {
  it('has a point for each second, those without a request too', () => {
    const series = new SeriesCollector();
    expect(series.newest).toBe(-1);
    expect(series.finish(1000)).toEqual([]);
    series.add([second(0, [100, 200, 300], 1), second(2, [50])]);
    expect(series.newest).toBe(2);
    expect(series.at(0)).toEqual({
      t: 0,
      rate: 2,
      p50: 200,
      p99: 300,
      max: 300,
      failed: 1,
      sent: 3,
      ready: 3,
    });
    expect(series.at(1)).toEqual(zeros(1));
    expect(series.at(9)).toEqual(zeros(9));
    expect(series.finish(3000)).toEqual([
      { t: 0, rate: 2, p50: 200, p99: 300, max: 300, failed: 1, sent: 3, ready: 3 },
      zeros(1),
      { t: 2, rate: 1, p50: 50, p99: 50, max: 50, failed: 0, sent: 1, ready: 1 },
    ]);
  });

  it('merges the seconds of several generators', () => {
    const series = new SeriesCollector();
    series.add([second(0, [100, 200])]);
    series.add([second(0, [300, 400, 500], 2)]);
    expect(series.at(0)).toEqual({
      t: 0,
      rate: 3,
      p50: 300,
      p99: 500,
      max: 500,
      failed: 2,
      sent: 5,
      ready: 5,
    });
  });

  it('scales the rate of a partial last second only', () => {
    const series = new SeriesCollector();
    series.add([second(0, [1, 1, 1]), second(1, [1, 1, 1]), second(2, [1, 1, 1])]);
    const rates = (measuredMs: number): number[] =>
      series.finish(measuredMs).map(({ rate }) => rate);
    expect(rates(3000)).toEqual([3, 3, 3]);
    expect(rates(2500)).toEqual([3, 3, 6]);
    expect(rates(2700)).toEqual([3, 3, 4.286]);
    // Late answers lie in a second after the end.
    expect(rates(2000)).toEqual([3, 3, 3]);
    expect(rates(1250)).toEqual([3, 12, 3]);
  });

  it('adds a late report to a closed second, and keeps its higher quantiles', () => {
    const series = new SeriesCollector();
    series.add([second(0, [100, 300])]);
    // Second 0 stays open until second 10, and is closed by second 11.
    series.add([second(10, [1])]);
    series.add([second(0, [200])]);
    expect(series.at(0)).toMatchObject({ rate: 3, p50: 200, p99: 300, max: 300 });
    series.add([second(11, [1])]);
    series.add([second(0, [250, 150], 1)]);
    series.add([second(12, [1])]);
    const late = { t: 0, rate: 4, p50: 200, p99: 300, max: 300, failed: 1, sent: 5, ready: 5 };
    expect(series.at(0)).toEqual(late);
    series.add([second(0, [900])]);
    expect(series.finish(13_000)[0]).toEqual({
      ...late,
      rate: 5,
      sent: 6,
      ready: 6,
      p50: 900,
      p99: 900,
      max: 900,
    });
  });
});

it('merges a report that comes ten seconds late without loss', () => {
  const series = new SeriesCollector();
  series.add([second(0, [100, 200, 300])]);
  series.add([second(10, [1])]);
  series.add([second(0, [50, 60])]);
  expect(series.at(0)).toEqual({
    t: 0,
    rate: 5,
    p50: 100,
    p99: 300,
    max: 300,
    failed: 0,
    sent: 5,
    ready: 5,
  });
});

describe('the health of generators', () => {
  const health = (
    cpu: number | null,
    eventLoopUtilization: number,
    sendLagP99Us: number | null,
    coreWait: number | null = null,
  ) => ({ cpu, eventLoopUtilization, sendLagP99Us, coreWait });
  const combined = (...samples: readonly ReturnType<typeof health>[]) => {
    const series = new SeriesCollector();
    for (const sample of samples) series.add([second(0, [1]), second(1, [1])], sample);
    expect(series.at(0)).not.toHaveProperty('generator');
    return series.at(1).generator;
  };

  it('is that of the last of the seconds: the sum of the cores, the most of the rest', () => {
    expect(combined(health(0.5, 0.25, 100))).toEqual(health(0.5, 0.25, 100));
    expect(combined(health(0.5, 0.25, 300), health(0.25, 0.75, 200))).toEqual(
      health(0.75, 0.75, 300),
    );
    expect(combined(health(0.5, 0.75, 100), health(0.25, 0.5, 200))).toEqual(
      health(0.75, 0.75, 200),
    );
    expect(combined(health(0, 0, 1, 0.03), health(0, 0, 1, 0.12345))?.coreWait).toBe(0.123);
    expect(combined(health(0, 0, 1, 0.03), health(0, 0, 1))?.coreWait).toBe(0.03);
  });

  it('has no cores if one generator does not know its own, and no lag if none has any', () => {
    expect(combined(health(null, 0.1, null), health(0.5, 0.1, null))?.cpu).toBeNull();
    expect(combined(health(0.5, 0.1, null), health(null, 0.1, null))).toEqual(
      health(null, 0.1, null),
    );
    expect(combined(health(0.1, 0.1, null), health(0.2, 0.1, 70))).toEqual(health(0.3, 0.1, 70));
  });

  it('stays with its second when that is closed, and when a late report comes', () => {
    const series = new SeriesCollector();
    series.add([second(0, [1])], health(0.5, 0.1, 1));
    series.add([second(0, [1])]);
    series.add([second(20, [1])]);
    expect(series.at(0).generator).toEqual(health(0.5, 0.1, 1));
    series.add([second(0, [1])]);
    expect(series.finish(21_000)[0]).toMatchObject({ rate: 3, generator: health(0.5, 0.1, 1) });
  });

  it('is left out without a second that it belongs to', () => {
    const series = new SeriesCollector();
    series.add([], health(0.5, 0.1, 1));
    expect(series.finish(1000)).toEqual([]);
    series.add([second(0, [1]), second(1, [1])]);
    series.add([], health(0.5, 0.1, 1));
    expect(series.finish(2000).filter(({ generator }) => generator)).toEqual([]);
  });
});
