import { expect, it } from 'vitest';
import { spreadOf } from '../../../src/load/result/spread.ts';

type Run = Parameters<typeof spreadOf>[0][number];

const run = (rate: number, failed: number, changes: Partial<Run> = {}): Run => {
  const us = { min: 1, p50: rate, p90: 2 * rate, p99: 3 * rate, p99_9: 4 * rate, p99_99: 0 };
  const summary = { ...us, max: 9, mean: 3, count: 100 };
  return {
    verdict: 'held',
    achieved: { rate, planned: 100, failed },
    latencyUs: { response: summary, service: summary, all: summary },
    ...changes,
  };
};

it('has median, lowest and highest of each figure', () => {
  expect(spreadOf([run(30, 0), run(10, 5), run(20, 1)])).toEqual({
    runs: 3,
    rate: { median: 20, min: 10, max: 30 },
    p50: { median: 20, min: 10, max: 30 },
    p90: { median: 40, min: 20, max: 60 },
    p99: { median: 60, min: 30, max: 90 },
    p99_9: { median: 80, min: 40, max: 120 },
    failed: { median: 0.01, min: 0, max: 0.05 },
  });
  expect(spreadOf([run(30, 0), run(10, 5)])?.rate.median).toBe(20);
});

it('leaves out runs that are invalid or were cut short', () => {
  const bad = [run(1, 0, { verdict: 'invalid' }), run(1, 0, { interrupted: true })];
  expect(spreadOf([...bad, run(30, 0)])).toMatchObject({ runs: 1, rate: { min: 30 } });
  expect(spreadOf(bad)).toBeNull();
  expect(spreadOf([])).toBeNull();
});
