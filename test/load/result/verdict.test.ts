import { describe, expect, it } from 'vitest';
import type { GeneratorHealth } from '../../../src/documents/load.ts';
import type { LoadPlan } from '../../../src/load/plan.ts';
import {
  judgeLoad,
  judgeRun,
  type RunEvidence,
  unreachableReason,
  whyNoUpperBounds,
} from '../../../src/load/result/verdict.ts';
import { parseThreshold } from '../../../src/load/threshold.ts';

const HEALTHY: GeneratorHealth = {
  workers: 1,
  cpu: 0.5,
  coreWait: 0,
  eventLoopUtilization: 0.3,
  sendLagUs: null,
  saturated: false,
  late: false,
  saturationLimits: '',
  reasons: [],
};
const LATE = { ...HEALTHY, saturated: true, late: true, reasons: ['The generator sent late.'] };
/** Findings of a run that nothing is wrong with. */
const RUN: RunEvidence = {
  generator: HEALTHY,
  faults: [],
  noUpperBounds: null,
  ok: 10,
  abortedOn: null,
  unreachable: null,
};

describe('judgeRun', () => {
  const lost = ['Agent b was lost.'];
  const held = { expression: 'p99<9ms', observed: 5000, held: true };
  const missed = { expression: 'max<1ms', observed: 5000, held: false };

  it.each([
    ['held', [], {}],
    ['held', [held], {}],
    ['fell-short', [held, missed], {}],
    ['fell-short', [], { ok: 0 }],
    ['fell-short', [], { abortedOn: 'errors>5%' }],
    ['invalid', [], { ok: 0, abortedOn: 'errors>5%', unreachable: 'TARGET_UNREACHABLE: …' }],
    ['invalid', [held], { faults: lost }],
    ['invalid', [missed], { faults: lost }],
  ])('is %s by %j and %j', (verdict, thresholds, more) => {
    expect(judgeRun(thresholds, { ...RUN, ...more }).verdict).toBe(verdict);
  });

  describe('with a late generator', () => {
    const notJudged = (expression: string, isHeld: boolean) =>
      ({ expression, observed: 1, held: isHeld, judged: false }) as const;
    const judge = (thresholds: Parameters<typeof judgeRun>[0], more: Partial<RunEvidence> = {}) =>
      judgeRun(thresholds, { ...RUN, generator: LATE, ...more });
    const byDefault = { ...notJudged('errors<1%', true), isDefault: true };

    it('is held by the bounds on response time that held, and names what was not judged', () => {
      expect(judge([held])).toEqual({
        verdict: 'held',
        reason: 'All thresholds on response time held: p99<9ms.',
      });
      expect(judge([held, byDefault]).reason).toMatch(/p99<9ms. Not judged: errors<1%.$/);
      expect(judge([held, byDefault]).verdict).toBe('held');
    });

    it.each([
      { thresholds: [held, notJudged('p50<1ms', false)], why: 'It proves nothing about p50<1ms.' },
      { thresholds: [held, notJudged('errors<1%', true)], why: 'nothing about errors<1%.' },
      { thresholds: [held, { ...byDefault, held: false }], why: 'nothing about errors<1%.' },
      { thresholds: [byDefault], why: 'Only an upper bound on response time can be judged' },
      { thresholds: [], why: 'Only an upper bound on response time can be judged' },
    ])('is invalid where $why', ({ thresholds, why }) => {
      const { verdict, reason, invalidBy } = judge(thresholds);
      expect({ verdict, invalidBy }).toEqual({ verdict: 'invalid', invalidBy: 'lateness' });
      expect(reason).toContain(`The generator sent late. `);
      expect(reason).toContain(why);
    });

    it('is invalid if the load was not the planned one, if it was ended, or if none succeeded', () => {
      expect(judge([held], { noUpperBounds: 'Of 9, 1 was not sent.' })).toEqual({
        verdict: 'invalid',
        reason: 'The generator sent late. Of 9, 1 was not sent.',
        invalidBy: 'lateness',
      });
      expect(judge([held], { abortedOn: 'errors>5%' }).verdict).toBe('invalid');
      expect(judge([held], { ok: 0 }).verdict).toBe('invalid');
    });

    it('is invalid by what is worse', () => {
      expect(judge([held], { faults: lost }).invalidBy).toBe('loss');
      expect(judge([held], { unreachable: 'TARGET_UNREACHABLE: …' }).invalidBy).toBe('unreachable');
      const exhausted = { ...LATE, late: false };
      expect(judge([held], { generator: exhausted }).invalidBy).toBe('resources');
    });
  });

  it('names the thresholds that were missed', () => {
    expect(judgeRun([held, missed], RUN).reason).toBe('Not held: max<1ms.');
  });

  it('names those that only failed requests made fall short', () => {
    const short = { ...missed, shortByFailures: true } as const;
    expect(judgeRun([short], RUN).reason).toBe(
      'Not held: max<1ms. Without the failed requests, which count as slower than any bound, held: max<1ms.',
    );
  });

  it('names the thresholds that held', () => {
    const both = [held, { ...held, expression: 'errors<1%' }];
    expect(judgeRun(both, RUN).reason).toBe('All thresholds held: p99<9ms, errors<1%.');
  });
});

describe('unreachableReason', () => {
  const reached = {
    baseUrl: 'http://127.0.0.1:1',
    planned: 20,
    sent: 0,
    errors: { ECONNREFUSED: 15, unsent: 5 },
  } as const;

  it.each([
    reached,
    { ...reached, errors: { 'connect-timeout': 20 } },
    { ...reached, errors: { DEPTH_ZERO_SELF_SIGNED_CERT: 20 } },
  ])('names a target to which no connection was had: %j', (given) => {
    expect(unreachableReason(given)).toContain('TARGET_UNREACHABLE: none of 20 requests');
  });

  it('names the errors of a target in alphabetical order', () => {
    const errors = { ENOTFOUND: 5, ECONNREFUSED: 15 };
    expect(unreachableReason({ ...reached, errors })).toContain('(ECONNREFUSED, ENOTFOUND)');
  });

  it.each([
    { ...reached, sent: 1 },
    { ...reached, planned: 0, errors: {} },
    { ...reached, errors: { unsent: 20 } },
    { ...reached, errors: { EMFILE: 20 } },
    { ...reached, errors: { EMFILE: 10, ECONNREFUSED: 10 } },
  ])('says nothing of one that was there, or of what is not its fault: %j', (given) => {
    expect(unreachableReason(given)).toBeNull();
  });
});

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

describe('judgeLoad', () => {
  const part = { errorShare: 0, reconnectedShare: 0, latencyUs: () => 5000 };
  const isJudged = (expression: string, more: Partial<RunEvidence> = {}) => {
    const load = { thresholds: [parseThreshold(expression)] };
    const observation = { ...part, ratePerS: 100, part: () => part };
    const { thresholds } = judgeLoad(load, observation, { ...RUN, generator: LATE, ...more });
    return thresholds[0]?.judged !== false;
  };

  it.each(['p99<6ms', 'max<=5ms', 'mean<6ms', 'p50{plain}<6ms'])('leaves %s as held', (given) => {
    expect(isJudged(given)).toBe(true);
    expect(isJudged(given, { noUpperBounds: 'Of 9, 1 was not sent.' })).toBe(false);
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
  ])('does not judge %s if the generator was late', (given) => {
    expect(isJudged(given)).toBe(false);
    expect(isJudged(given, { generator: HEALTHY })).toBe(true);
  });

  it('judges the run by its thresholds', () => {
    const load = { thresholds: [parseThreshold('p99<4ms')] };
    const observation = { ...part, ratePerS: 100, part: () => part };
    expect(judgeLoad(load, observation, RUN)).toMatchObject({
      verdict: 'fell-short',
      reason: 'Not held: p99<4ms.',
    });
  });
});
