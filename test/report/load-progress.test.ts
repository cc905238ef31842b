import { expect, it } from 'vitest';
import { loadProgressLine, loadProgressLines } from '../../src/report/console/load-progress.ts';

const PROGRESS = {
  phase: 'measuring',
  elapsedS: 12.4,
  totalS: 30,
  rate: 4998,
  plannedRate: 6000,
  p50Us: 1200,
  p99Us: 4500,
  failed: 3,
  soFar: {
    latencyUs: {
      min: 900,
      p50: 1300,
      p90: 2000,
      p99: 4600,
      p99_9: 8000,
      p99_99: 8100,
      max: 256_000,
      mean: 1500,
      count: 59_876,
    },
    values: [
      [1000, 40_000],
      [1500, 19_875],
      [250_000, 1],
    ] as [number, number][],
    statuses: { 200: 59_876, 500: 3 },
    errors: { 'http-500': 3 },
  },
  seconds: [{ plannedRate: 5000 }],
};

it('shows time left, rate of the second, percentiles, statuses and errors of the run so far', () => {
  expect(loadProgressLines(PROGRESS, 'run 3 of 10').slice(0, 5)).toEqual([
    'run 3 of 10: measuring  ████████████▌░░░░░░░░░░░░░░░░░  12 s of 30 s, 18 s left',
    '  rate      4,998/s of 5,000/s',
    '  response  min 900 µs  p50 1.30 ms  p90 2 ms  p99 4.60 ms  p99.9 8 ms  p99.99 8.10 ms  max 256 ms',
    '  statuses  200: 59,876, 500: 3',
    '  errors    http-500: 3',
  ]);
});

it('counts response times in eight steps by their logarithm, and shows a single one', () => {
  expect(loadProgressLines(PROGRESS, '').slice(5)).toEqual([
    '   1.99 ms  ██████████████████████████████ 59,875',
    '   3.98 ms',
    '   7.93 ms',
    '   15.8 ms',
    '   31.5 ms',
    '   62.9 ms',
    '    125 ms',
    '    250 ms  ▏ 1',
  ]);
});

it('shows percentiles from the first response on', () => {
  const latencyUs = { ...PROGRESS.soFar.latencyUs, count: 1 };
  const soFar = { ...PROGRESS.soFar, latencyUs };
  expect(loadProgressLines({ ...PROGRESS, soFar }, '')[2]).toContain('p99 4.60 ms');
});

it('has no histogram before the first response', () => {
  const latencyUs = { ...PROGRESS.soFar.latencyUs, count: 0 };
  const soFar = { latencyUs, values: [], statuses: {}, errors: {} };
  const progress = { ...PROGRESS, phase: 'warm-up', plannedRate: null, seconds: [], soFar };
  expect(loadProgressLines(progress, '').slice(1)).toEqual([
    '  rate      4,998/s',
    '  response  –',
  ]);
});

it('fits in one line elsewhere, with the response times of the last second', () => {
  expect(loadProgressLine(PROGRESS, '')).toBe(
    'measuring: 4,998/s of 5,000/s, p50 1.20 ms, p99 4.50 ms, 3 failed, 12 s of 30 s, 18 s left',
  );
  expect(loadProgressLine({ ...PROGRESS, p50Us: 0, p99Us: 0 }, '')).toBe(
    'measuring: 4,998/s of 5,000/s, 3 failed, 12 s of 30 s, 18 s left',
  );
});
