import { expect, it } from 'vitest';
import {
  type LoadOptions,
  planLoad,
  type RunContext,
  systemClock,
} from '../../../src/load/index.ts';
import { requestsOfWarmup, scenariosOf } from '../../../src/load/k6/scenarios.ts';
import type { LoadPlan } from '../../../src/load/plan.ts';
import { profile } from '../result/profile.ts';

async function planned(options: Partial<LoadOptions & RunContext>): Promise<LoadPlan> {
  return (await planLoad({ profile, clock: systemClock(), seed: 7, ...options })).plan;
}

it('sends a rate by a scenario for the warm-up, and one for the window', async () => {
  const plan = await planned({ rate: 200, connections: 20, duration: '30s', warmup: '1500ms' });
  const common = { timeUnit: '1s', preAllocatedVUs: 20, maxVUs: 20, gracefulStop: '5s' };
  const executor = 'constant-arrival-rate';
  expect(scenariosOf(plan)).toEqual({
    warmup: { executor, rate: 200, duration: '1500ms', exec: 'warmUp', ...common },
    measured: { executor, rate: 200, duration: '30s', startTime: '1500ms', ...common },
  });
  expect(requestsOfWarmup(plan)).toBe(300);
});

it.each([
  { rate: 0.5, whole: 5, timeUnit: '10s' },
  { rate: 33.3, whole: 333, timeUnit: '10s' },
  { rate: 1.005, whole: 1005, timeUnit: '1000s' },
  { rate: 2000, whole: 2000, timeUnit: '1s' },
])('writes $rate requests per second in whole numbers', async ({ rate, whole, timeUnit }) => {
  const { measured } = scenariosOf(await planned({ rate }));
  expect(measured).toMatchObject({ rate: whole, timeUnit });
});

it('writes a jump between stages as a stage without a duration', async () => {
  const stages = '50/10s,50-200.5/2500ms,20/1s';
  const { measured } = scenariosOf(await planned({ stages }));
  expect(measured).toMatchObject({
    executor: 'ramping-arrival-rate',
    startRate: 500,
    timeUnit: '10s',
    stages: [
      { target: 500, duration: '10s' },
      { target: 2005, duration: '2500ms' },
      { target: 200, duration: '0s' },
      { target: 200, duration: '1s' },
    ],
  });
});

it.each([
  { title: 'no warm-up', options: { rate: 10, warmup: '0' } },
  { title: 'a ramp from 0', options: { stages: '0-9/4s' } },
])('starts the window at once with $title', async ({ options }) => {
  const plan = await planned(options);
  const { warmup, measured } = scenariosOf(plan);
  expect(warmup).toBeUndefined();
  expect(measured).toMatchObject({ startTime: '0s' });
  expect(requestsOfWarmup(plan)).toBe(0);
});

it('keeps as many VUs as the closed model has connections', async () => {
  const plan = await planned({ connections: 8, duration: '2s' });
  const common = { executor: 'constant-vus', vus: 8, gracefulStop: '5s' };
  expect(scenariosOf(plan)).toEqual({
    warmup: { ...common, duration: '1s', exec: 'warmUp' },
    measured: { ...common, duration: '2s', startTime: '1s' },
  });
});
