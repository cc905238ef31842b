import { describe, expect, it } from 'vitest';
import type { LoadPlan } from '../../../src/load/plan.ts';
import { LatencyHistogram } from '../../../src/load/record/histogram.ts';
import { Recorder, type SecondData } from '../../../src/load/record/recorder.ts';
import { RunProgress } from '../../../src/load/watch/progress.ts';

/** A ramp from 0 to 1000 requests per second over 8 s, after a warm-up of 1 s. */
const PLAN = {
  model: 'open',
  generators: 1,
  warmupMs: 1000,
  durationMs: 8000,
  stages: [
    { fromRate: 100, toRate: 100, durationMs: 1000 },
    { fromRate: 0, toRate: 1000, durationMs: 8000 },
  ],
} as unknown as LoadPlan;

function start(plan: LoadPlan = PLAN) {
  let nowMs = 0;
  const progress = new RunProgress(plan, { now: () => nowMs, monotonicNs: () => nowMs * 1e6 });
  return { progress, at: (ms: number) => (nowMs = ms) };
}

function second(at: number, ok: number, latencyUs = 100, failed = 0): SecondData {
  const response = new LatencyHistogram();
  for (let count = 0; count < ok + failed; count++) response.record(latencyUs);
  const sent = ok + failed;
  return { second: at, ok, failed, sent, ready: sent, response: response.toData() };
}

describe('the progress of a run', () => {
  it('tells each second of the window once, and the one before it as it is known by then', () => {
    const { progress, at } = start();
    at(500);
    expect(progress.report()).toMatchObject({ phase: 'warm-up', rate: 0, seconds: [] });
    progress.take(0, { seconds: [second(0, 60)], waiting: 0 });
    at(2100);
    expect(progress.report().seconds).toMatchObject([{ t: 0, rate: 60, plannedRate: 62.5 }]);
    progress.take(0, { seconds: [second(0, 10), second(1, 190)], waiting: 0 });
    at(3100);
    expect(progress.report().seconds).toMatchObject([
      { t: 0, rate: 70 },
      { t: 1, rate: 190, plannedRate: 187.5 },
    ]);
    at(3200);
    expect(progress.report().seconds).toMatchObject([{ t: 1 }]);
  });

  it('waits for all generators before it tells a second, and no longer than half of one', () => {
    const { progress, at } = start({ ...PLAN, generators: 2 });
    progress.take(0, { seconds: [second(0, 60)], waiting: 0 });
    at(2100);
    expect(progress.report()).toMatchObject({ rate: 0, seconds: [] });
    progress.take(1, { seconds: [second(0, 10)], waiting: 0 });
    expect(progress.report()).toMatchObject({ rate: 70, seconds: [{ t: 0, rate: 70 }] });
    progress.take(0, { seconds: [second(1, 190)], waiting: 0 });
    at(3600);
    expect(progress.report().seconds).toMatchObject([{ t: 0 }, { t: 1, rate: 190 }]);
  });

  it('tells of seconds without an answer: a target that stalls has no rate', () => {
    const { progress, at } = start();
    progress.take(0, { seconds: [second(0, 60)], waiting: 0 });
    at(2100);
    expect(progress.report()).toMatchObject({ rate: 60, p99Us: 100, maxUs: 100 });
    at(5000);
    const { rate, p50Us, seconds } = progress.report();
    expect([rate, p50Us]).toEqual([0, 0]);
    expect(seconds).toMatchObject([
      { t: 0, rate: 60 },
      { t: 1, rate: 0, failed: 0 },
      { t: 2, rate: 0, failed: 0 },
    ]);
    // Only seconds of the window are filled in; later ones are reported or do not exist.
    at(60_000);
    expect(progress.report().seconds.at(-1)).toMatchObject({ t: 7 });
  });

  it('merges the outcomes of generators, each as it was reported last', () => {
    const { progress } = start({ ...PLAN, generators: 2 });
    const counts = (ok: number, limited: number) => ({
      statuses: { 200: ok, 429: limited },
      errors: { 'http-429': limited },
    });
    progress.take(0, { seconds: [second(0, 60, 100)], waiting: 0, counts: counts(60, 1) });
    progress.take(0, { seconds: [second(1, 30, 100)], waiting: 0, counts: counts(90, 2) });
    progress.take(1, { seconds: [second(0, 10, 900)], waiting: 0, counts: counts(10, 5) });
    progress.take(1, { seconds: [], waiting: 0 });
    const { soFar } = progress.report();
    expect(soFar).toMatchObject({
      statuses: { 200: 100, 429: 7 },
      errors: { 'http-429': 7 },
      latencyUs: { min: 100, max: 900, count: 100 },
      values: [
        [100, 90],
        [900, 10],
      ],
    });
  });

  it('merges the health of generators: the sum of cores, the worst of the rest', () => {
    const { progress, at } = start({ ...PLAN, generators: 2 });
    const sample = { cpu: 0.5, eventLoopUtilization: 0.2, sendLagP99Us: 30, coreWait: 0.01 };
    progress.take(0, { seconds: [second(0, 1)], waiting: 0, sample });
    progress.take(1, {
      seconds: [second(0, 1)],
      waiting: 0,
      sample: { cpu: 0.25, eventLoopUtilization: 0.6, sendLagP99Us: 10, coreWait: 0.2 },
    });
    at(2100);
    expect(progress.report().seconds[0]?.generator).toEqual({
      cpu: 0.75,
      eventLoopUtilization: 0.6,
      sendLagP99Us: 30,
      coreWait: 0.2,
    });
    expect(progress.finishSeries(8000)[0]?.generator).toMatchObject({ cpu: 0.75 });
  });

  it('has no planned rate in the closed model', () => {
    const closed = { ...PLAN, model: 'closed', stages: [] } as unknown as LoadPlan;
    const { progress, at } = start(closed);
    progress.take(0, { seconds: [second(0, 1)], waiting: 0 });
    at(2100);
    expect(progress.report().seconds[0]).not.toHaveProperty('plannedRate');
  });

  it('marks seconds of late answers: less than half of them is in the window', () => {
    const late = [7, 8, 9].map((t) => second(t, 5));
    const { progress, at } = start();
    progress.take(0, { seconds: late, waiting: 0 });
    at(60_000);
    const drained = ({ drained: is, t }: { drained?: boolean | undefined; t: number }) => is && t;
    expect(progress.report().seconds.flatMap((point) => drained(point) ?? [])).toEqual([8, 9]);
    for (const [measuredMs, seconds] of [
      [8000, [8, 9]],
      [7500, [8, 9]],
      [7499, [7, 8, 9]],
    ] as const) {
      const series = progress.finishSeries(measuredMs);
      expect(series.flatMap((point) => drained(point) ?? [])).toEqual(seconds);
    }
  });

  it('has the planned rate of a partial last second', () => {
    const { progress } = start({ ...PLAN, durationMs: 200 });
    progress.take(0, { seconds: [second(0, 5)], waiting: 0 });
    expect(progress.finishSeries(200)).toMatchObject([{ t: 0, rate: 25, plannedRate: 12.5 }]);
  });
});

describe('the send lag of an interval', () => {
  it('is also part of the total', () => {
    const recorder = new Recorder({ startNs: 0, endNs: 10e9 });
    expect(recorder.takeSendLagP99Us()).toBeNull();
    for (let at = 0; at < 100; at++) recorder.sent(at, at, at + 20_000);
    expect(recorder.takeSendLagP99Us()).toBe(20);
    for (let at = 0; at < 100; at++) recorder.sent(at, at, at + 5_000_000);
    expect(recorder.takeSendLagP99Us()).toBe(5000);
    recorder.sent(0, 0, 0 + 1000);
    expect(recorder.finish().sendLag).toMatchObject({ count: 201, minUs: 1, maxUs: 5000 });
  });
});
