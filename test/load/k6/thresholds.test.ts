import { describe, expect, it } from 'vitest';
import { parseThreshold } from '../../../src/load/index.ts';
import { type JudgedPlan, thresholdsOf } from '../../../src/load/k6/thresholds.ts';

/** A rate of 100/s for 30 s, after a warm-up. */
const PLAN: JudgedPlan['plan'] = {
  model: 'open',
  durationMs: 30_000,
  warmupMs: 1000,
  validateShare: 0.01,
  stages: [1000, 30_000].map((durationMs) => ({ fromRate: 100, toRate: 100, durationMs })),
};

const translated = (
  expressions: readonly string[],
  { plan = PLAN, abortOn = [] as readonly string[] } = {},
) =>
  thresholdsOf({
    plan,
    thresholds: expressions.map((one) => parseThreshold(one)),
    abortOn: abortOn.map((one) => parseThreshold(one)),
  });

/** Thresholds of every script: a run that measured nothing does not pass. */
const ALWAYS = {
  'http_req_duration{scenario:measured}': [],
  'http_req_duration{scenario:measured,expected_response:true}': [],
  'http_req_failed{scenario:measured}': [],
  'http_reqs{scenario:measured}': ['count>0'],
};

describe('a threshold', () => {
  it.each([
    { given: 'p99<20ms', expression: 'p(99)<20' },
    { given: 'p99.9<=0.1s', expression: 'p(99.9)<=100' },
    { given: 'service.p50<800us', expression: 'p(50)<0.8' },
    { given: 'mean<1ms', expression: 'avg<1' },
    { given: 'max<1s', expression: 'max<1000' },
  ])(
    '$given bounds the duration, of which a failed request has the longest',
    ({ given, expression }) => {
      expect(translated([given]).thresholds).toEqual({
        ...ALWAYS,
        'estimates_duration{scenario:measured}': [expression],
      });
    },
  );

  it('from below bounds the duration of the successes alone', () => {
    expect(translated(['min>=100us']).thresholds).toEqual({
      ...ALWAYS,
      'http_req_duration{scenario:measured,expected_response:true}': ['min>=0.1'],
    });
  });

  it.each([
    { given: 'errors<1%', failed: 'rate<0.01', dropped: 'count<30' },
    { given: 'errors<=0%', failed: 'rate<=0', dropped: 'count<=0' },
  ])('$given bounds failures, malformed answers and drops', ({ given, failed, dropped }) => {
    expect(translated([given]).thresholds).toEqual({
      ...ALWAYS,
      'http_req_failed{scenario:measured}': [failed],
      'estimates_malformed{scenario:measured}': [failed],
      'dropped_iterations{scenario:measured}': [dropped],
    });
  });

  it('on errors bounds failures alone where nothing else can fail', () => {
    const plan = { ...PLAN, model: 'closed' as const, validateShare: 0 };
    expect(translated(['errors<1%'], { plan }).thresholds).toEqual({
      ...ALWAYS,
      'http_req_failed{scenario:measured}': ['rate<0.01'],
    });
    expect(translated(['errors>5%']).thresholds).toEqual({
      ...ALWAYS,
      'http_req_failed{scenario:measured}': ['rate>0.05'],
    });
  });

  it('on the rate bounds the number of successes in the window', () => {
    expect(translated(['rate>=99.5/s']).thresholds).toEqual({
      ...ALWAYS,
      estimates_ok: ['count>=2985'],
    });
  });

  it('on a part bounds what has its tag, and wants requests of it', () => {
    expect(translated(['p99{express}<30ms', 'errors{stage:2}<1%']).thresholds).toEqual({
      ...ALWAYS,
      'http_reqs{scenario:measured,shape:express}': ['count>0'],
      'estimates_duration{scenario:measured,shape:express}': ['p(99)<30'],
      'http_reqs{scenario:measured,stage:2}': ['count>0'],
      'http_req_failed{scenario:measured,stage:2}': ['rate<0.01'],
      'estimates_malformed{scenario:measured,stage:2}': ['rate<0.01'],
    });
  });
});

it('a threshold on reconnected requests is named as not translated', () => {
  const { thresholds, notTranslated } = translated(['reconnected<1%']);
  expect(thresholds).toEqual(ALWAYS);
  expect(notTranslated).toEqual([expect.stringContaining("the threshold 'reconnected<1%': k6")]);
});

describe('a condition that ends a run', () => {
  it('ends the run where its opposite is not met', () => {
    expect(translated(['p99<20ms'], { abortOn: ['p99>1s', 'errors>=5%'] })).toEqual({
      thresholds: {
        ...ALWAYS,
        'estimates_duration{scenario:measured}': [
          'p(99)<20',
          { threshold: 'p(99)<=1000', abortOnFail: true },
        ],
        'http_req_failed{scenario:measured}': [{ threshold: 'rate<0.05', abortOnFail: true }],
      },
      notTranslated: [],
    });
  });

  it('on the rate is named as not translated', () => {
    const { thresholds, notTranslated } = translated([], { abortOn: ['rate<50/s'] });
    expect(thresholds).toEqual(ALWAYS);
    expect(notTranslated).toEqual([expect.stringContaining("the condition 'rate<50/s'")]);
  });
});
