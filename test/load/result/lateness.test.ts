import { describe, expect, it } from 'vitest';
import type { LoadPlan } from '../../../src/load/plan.ts';
import { markUnjudged, whyNoUpperBounds } from '../../../src/load/result/lateness.ts';
import { judgeThreshold, parseThreshold } from '../../../src/load/threshold.ts';

/** 100 requests a second for 3 s, after a warm-up of 1 s. */
const PLAN = {
  model: 'open',
  arrivals: 'constant',
  seed: 1,
  warmupMs: 1000,
  stages: [
    { fromRate: 100, toRate: 100, durationMs: 1000 },
    { fromRate: 100, toRate: 100, durationMs: 3000 },
  ],
} as unknown as LoadPlan;

const why = (sent: readonly number[], { plan = PLAN, measuredMs = 3000, unsent = 0 } = {}) =>
  whyNoUpperBounds({
    plan,
    measuredMs,
    achieved: { planned: 300, sent: 300 - unsent },
    series: sent.map((count, t) => ({ t, sent: count })),
  });

describe('whyNoUpperBounds', () => {
  it('finds none where each second had 95 % of its plan', () => {
    expect(why([100, 100, 100])).toBeNull();
    expect(why([95, 104, 96, 5])).toBeNull();
  });

  it.each([
    { sent: [94, 106, 100], second: 'In second 1 it sent 94 of 100' },
    { sent: [100, 100, 94, 6], second: 'In second 3 it sent 94 of 100' },
    { sent: [100, 0, 200], second: 'In second 2 it sent 0 of 100' },
    { sent: [90, 110, 80, 20], second: 'In second 3 it sent 80 of 100' },
    { sent: [100, 100], second: 'In second 3 it sent 0 of 100' },
  ])('names the worst second: $second', ({ sent, second }) => {
    expect(why(sent)).toContain(second);
  });

  it('compares the part of a last second that was measured', () => {
    expect(why([100, 100, 50], { measuredMs: 2500 })).toBeNull();
    expect(why([100, 100, 40], { measuredMs: 2500 })).toContain('sent 40 of 50');
  });

  it('follows a ramp and independent arrivals', () => {
    const ramp = { ...PLAN, warmupMs: 0, stages: [{ fromRate: 0, toRate: 200, durationMs: 2000 }] };
    expect(why([50, 150], { plan: ramp, measuredMs: 2000 })).toBeNull();
    expect(why([47, 153], { plan: ramp, measuredMs: 2000 })).toContain('sent 47 of 50');
    const poisson = { ...PLAN, arrivals: 'poisson' as const };
    expect(why([300, 300, 300], { plan: poisson })).toBeNull();
    expect(why([50, 50, 50], { plan: poisson })).toMatch(/sent 50 of \d\d/);
  });

  it('wants everything sent, by a plan', () => {
    expect(why([100, 100, 100], { unsent: 1 })).toBe('Of 300 planned requests, 1 were not sent.');
    expect(why([100, 100, 100], { plan: { ...PLAN, model: 'closed' } })).toContain('closed model');
  });
});

describe('markUnjudged', () => {
  const judged = (expression: string, noUpperBounds: string | null = null) => {
    const threshold = parseThreshold(expression);
    const result = judgeThreshold(threshold, {
      ratePerS: 100,
      errorShare: 0,
      latencyUs: () => 5000,
      reconnectedShare: 0,
      part: () => ({ errorShare: 0, reconnectedShare: 0, latencyUs: () => 5000 }),
    });
    return markUnjudged([threshold], [result], noUpperBounds)[0]?.judged !== false;
  };

  it.each(['p99<6ms', 'max<=5ms', 'mean<6ms', 'p50{plain}<6ms'])('leaves %s as held', (given) => {
    expect(judged(given)).toBe(true);
    expect(judged(given, 'Of 9, 1 was not sent.')).toBe(false);
  });

  it.each([
    'p99<4ms',
    'p99>4ms',
    'min>=5ms',
    'service.p99<6ms',
    'errors<1%',
    'reconnected<1%',
    'rate>50/s',
    'rate<500/s',
  ])('does not judge %s', (given) => {
    expect(judged(given)).toBe(false);
  });
});
