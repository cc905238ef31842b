import { describe, expect, it } from 'vitest';
import { type LoadOptions, type RunContext, systemClock } from '../../src/load/index.ts';
import { parseStages } from '../../src/load/plan.ts';
import { atRate, planLoad, withSeed } from '../../src/load/plan-load.ts';

const options: LoadOptions & RunContext = {
  profile: {
    name: 'planned',
    baseUrl: 'http://127.0.0.1:8080/prefix/',
    environment: 'production',
    partners: [{ id: 'p', signingKey: 'k', use: 'general', authCodes: [] }],
    signature: { tokenFields: 'all', estimateFields: 'all' },
    estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
    headers: { 'X-Tenant': 't' },
  },
  clock: systemClock(),
  seed: 7,
};

describe('planLoad', () => {
  it('fills in the defaults of the closed model', async () => {
    const { engine, plan, identity, mix, thresholds } = await planLoad(options);
    expect(engine.name).toBe('native');
    expect(plan).toEqual({
      model: 'closed',
      arrivals: 'constant',
      stages: [],
      warmupMs: 1000,
      durationMs: 10_000,
      connections: 10,
      timeoutMs: 5000,
      stallUs: 10_000,
      newConnections: false,
      validateShare: 0.01,
      seed: 7,
      address: {
        secure: false,
        host: '127.0.0.1',
        port: 8080,
        hostHeader: '127.0.0.1:8080',
        pathPrefix: '/prefix',
        tls: null,
      },
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        'User-Agent': 'fareproof',
        'X-Tenant': 't',
      },
      generators: 1,
    });
    expect([identity, [...mix]]).toEqual(['platform', [['plain', 1]]]);
    expect(thresholds).toMatchObject([{ expression: 'errors<1%', isDefault: true, bound: 0.01 }]);
  });

  it('adds no bound of the errors to one that was given, and checks no answers if told so', async () => {
    const given = { threshold: ['errors<=100%'], validate: 0 };
    const { thresholds, plan } = await planLoad({ ...options, ...given });
    expect(thresholds).toMatchObject([{ expression: 'errors<=100%' }]);
    expect(thresholds[0]).not.toHaveProperty('isDefault');
    expect(plan.validateShare).toBe(0);
  });

  it('checks no answers by default where the engine cannot', async () => {
    const { plan } = await planLoad({ ...options, engine: 'autocannon' });
    expect(plan.validateShare).toBe(0);
  });

  it('puts the warm-up before the stages, at the rate that they begin with', async () => {
    const stages = '100-500/3s,500/2s';
    const { plan } = await planLoad({ ...options, stages });
    const warmup = { fromRate: 100, toRate: 100, durationMs: 1000 };
    expect(plan).toMatchObject({ model: 'open', durationMs: 5000, connections: 256 });
    const measured = parseStages(stages);
    expect(plan.stages).toEqual([warmup, ...measured]);
    expect((await planLoad({ ...options, stages, warmup: '0' })).plan.stages).toEqual(measured);
  });

  it('parses thresholds that are texts', async () => {
    const { thresholds, abortOn } = await planLoad({
      ...options,
      threshold: ['p99<20ms'],
      abortOn: ['errors>5%'],
    });
    expect(thresholds).toMatchObject([
      { metric: 'p99', unit: 'us', bound: 20_000 },
      { metric: 'errors', isDefault: true },
    ]);
    expect(abortOn).toMatchObject([{ metric: 'errors', comparison: '>' }]);
  });

  it.each<[string, Partial<LoadOptions & RunContext>, string]>([
    ['LOAD_OPTIONS_INVALID', { engine: 'wrk' as 'native' }, 'engine: give native or autocannon.'],
    ['LOAD_OPTIONS_INVALID', { rate: -1 }, 'rate: give requests per second above 0 and at most'],
    ['LOAD_OPTIONS_INVALID', { rate: 1, stages: '1/1s' }, 'rate: conflicts with stages;'],
    [
      'LOAD_OPTIONS_INVALID',
      { arrivals: 'poisson' },
      'arrivals: requires rate or stages or findMax.',
    ],
    [
      'LOAD_OPTIONS_INVALID',
      { timeout: '0' },
      'timeout: give a time above 0 and at most 24h, such as 500ms or 10s.',
    ],
    ['LOAD_OPTIONS_INVALID', { timeout: '600h' }, 'timeout: give a time above 0 and at most 24h'],
    ['LOAD_OPTIONS_INVALID', { validate: '150%' }, 'validate: give a share'],
    ['STAGES_INVALID', { stages: '1/1s,99999999/1s' }, 'stages[1]: '],
    ['ENGINE_CLOSED_ONLY', { engine: 'autocannon', rate: 5 }, 'or use engine native.'],
    ['ENGINE_LACKS_OPTION', { engine: 'autocannon', workers: 2 }, 'workers: autocannon runs in'],
    ['ENGINE_LACKS_OPTION', { engine: 'autocannon', validate: 1 }, 'or use engine native.'],
    ['THRESHOLD_INVALID', { threshold: ['p99<20'] }, "threshold[0]: 'p99<20'"],
    ['PARTNER_MISSING', { as: 'user' }, 'authCodes'],
    ['MIX_WITHOUT_QUERY', { mix: 'express=1' }, 'mix: the profile has no query estimates.express'],
  ])('refuses with %s: %j', async (code, given, message) => {
    await expect(planLoad({ ...options, ...given })).rejects.toMatchObject({
      name: 'ConfigurationError',
      code,
      message: expect.stringContaining(message),
    });
  });
});

describe('a planned load', () => {
  it('can be run at other rates', async () => {
    const load = await planLoad({ ...options, rate: 100, warmup: '500ms' });
    const { plan } = atRate(load, 250, 4000);
    expect(plan).toMatchObject({ durationMs: 4000, warmupMs: 500, connections: 256 });
    expect(plan.stages).toEqual([
      { fromRate: 250, toRate: 250, durationMs: 500 },
      { fromRate: 250, toRate: 250, durationMs: 4000 },
    ]);
  });

  it('can be run with other requests', async () => {
    expect(withSeed(await planLoad(options), 9).plan.seed).toBe(9);
  });
});

describe('thresholds on a part of a run', () => {
  const estimates = {
    plain: { product_type: 'private-car' },
    carpoolSeats: { product_type: 'carpool' },
  };
  const mixed = { ...options, profile: { ...options.profile, estimates } };
  const stages = '5/1s,5/1s';

  it('are taken if the run has the part', async () => {
    const thresholds = ['p99{carpoolSeats}<1s', 'errors{stage:2}<1%'];
    const planned = await planLoad({ ...mixed, stages, threshold: thresholds });
    expect(planned.thresholds).toMatchObject([{ shape: 'carpoolSeats' }, { stage: 2 }, {}]);
  });

  it.each([
    [{}, 'p99{carpoolNoSeats}<1s', 'has no shape "carpoolNoSeats"; did you mean carpoolSeats?'],
    [{}, 'p99{express}<1s', 'the mix has no shape "express"; its shapes: plain, carpoolSeats.'],
    [{ rate: 5 }, 'p99{stage:1}<1s', 'the load has no stages.'],
    [{ stages }, 'p99{stage:3}<1s', 'there is no stage 3; the last one is {stage:2}.'],
  ])('are refused if it has not: %o, %s', async (more, threshold, why) => {
    const planning = planLoad({ ...mixed, ...more, threshold: [threshold] });
    await expect(planning).rejects.toMatchObject({ code: 'THRESHOLD_INVALID' });
    await expect(planning).rejects.toThrow(`threshold[0]: '${threshold}': `);
    await expect(planning).rejects.toThrow(why);
  });

  it('are refused where the engine cannot tell shapes apart, unless there is one only', async () => {
    const load = { engine: 'autocannon', threshold: ['p99{plain}<1s'] } as const;
    await expect(planLoad({ ...mixed, ...load })).rejects.toMatchObject({
      code: 'ENGINE_LACKS_OPTION',
      message: expect.stringContaining('use engine native'),
    });
    await expect(planLoad({ ...options, ...load })).resolves.toBeTruthy();
  });

  it('do not end a run early', async () => {
    const planning = planLoad({ ...mixed, abortOn: ['errors{plain}>5%'] });
    await expect(planning).rejects.toThrow("abortOn[0]: 'errors{plain}>5%': during a run only");
  });
});
