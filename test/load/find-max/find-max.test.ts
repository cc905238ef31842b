import { afterEach, describe, expect, it } from 'vitest';
import { describeTrial, trialDurationMs } from '../../../src/load/find-max/trial.ts';
import {
  findMax,
  type LoadResult,
  parseMix,
  parseObjective,
  planLoad,
  systemClock,
} from '../../../src/load/index.ts';
import { unhurriedClock } from '../../support/unhurried-clock.ts';
import { ESTIMATE_BODY, type FakeTarget, startFakeTarget } from '../fake-target.ts';

let fake: FakeTarget | undefined;
afterEach(() => fake?.close());

describe('findMax', () => {
  it('runs its trials with one token, and lists each of them', { tags: ['long'] }, async () => {
    let atMs = performance.now();
    // A token bucket: 300 per second, at most 5 at once, so that a machine that pauses in a trial
    // and then catches up cannot make the objective hold.
    const most = 5;
    let left: number = most;
    fake = await startFakeTarget({
      estimate: (_request, response) => {
        const nowMs = performance.now();
        left = Math.min(most, left + (nowMs - atMs) * 0.3);
        atMs = nowMs;
        if (left >= 1) {
          left--;
          response.end(ESTIMATE_BODY);
        } else response.writeHead(503).end();
      },
    });
    const load = await planLoad({
      ledger: 'none',
      profile: fake.profile,
      clock: unhurriedClock(systemClock()),
      seed: 1,
      placement: 'inline',
      rate: 200,
      duration: '120ms',
      warmup: '50ms',
      findMax: 'errors<10%',
    });
    const result = await findMax(load, { recoveryMs: 0 });
    expect(result).toMatchObject({ kind: 'find-max', objective: 'errors<10%' });
    // The number that holds depends on the load of this machine; beyond the capacity none can.
    for (const { rate, held, errors, latencyUs } of result.trials) {
      if (rate > 600) expect(held).toBe(false);
      expect(errors).toBeLessThanOrEqual(1);
      expect(latencyUs.response.count).toBeGreaterThan(0);
    }
    expect(result.trials[0]?.rate).toBe(200);
    expect(result.interval.low).toBeLessThan(600);
    expect(result.reason).not.toBe('');
    expect(fake.tokenRequests).toHaveLength(1);
  });

  it.each([{ engine: 'autocannon' }, { threshold: ['p99<20ms'] }, { stages: '5/1s' }] as const)(
    'is refused with what it sets itself: %j',
    async (given) => {
      fake = await startFakeTarget();
      const { profile } = fake;
      const planning = planLoad({ profile, ledger: 'none', findMax: 'p99<20ms', ...given });
      await expect(planning).rejects.toThrow('findMax');
      expect(fake.tokenRequests).toHaveLength(0);
    },
  );
});

describe('describeTrial', () => {
  const latency = {
    min: 1,
    p50: 1,
    p90: 1,
    p99: 1,
    p99_9: 1,
    p99_99: 1,
    max: 1,
    mean: 1,
    count: 9,
  };
  const trialOf = (verdict: LoadResult['verdict'], coreWait: number | null) =>
    describeTrial(500, {
      achieved: { rate: 480, planned: 500, sent: 500, ok: 480, failed: 20, checked: 0 },
      errors: { 'http-500': 20 },
      latencyUs: { response: latency, service: latency, all: latency },
      intended: { rate: 500, connections: 1, durationS: 1, warmupS: 0, arrivals: 'constant' },
      generator: { coreWait },
      verdict,
      reason: 'Not held: p99<20ms.',
    });

  it('blames the target for falling short, unless the run was not valid', () => {
    expect(trialOf('fell-short', 0.04)).toMatchObject({
      held: false,
      valid: true,
      errors: 0.04,
      coreWait: 0.04,
    });
    expect(trialOf('fell-short', null)).toMatchObject({ held: false, valid: true });
    expect(trialOf('held', 0.04)).toMatchObject({ held: true, valid: true });
    // Other processes took the cores.
    expect(trialOf('invalid', 0.4)).toMatchObject({ held: false, valid: false, coreWait: 0.4 });
  });
});

describe('trialDurationMs', () => {
  it.each([
    ['p99<1ms', 1000, 2000, 2000],
    ['p99.9<1ms', 1000, 2000, 10_000],
    ['p99<100ms', 1000, 2000, 4000],
    ['p99.99<1ms', 1, 2000, 60_000],
    ['errors<0.1%', 50, 2000, 20_000],
    ['max<1ms', 2, 100, 5000],
    ['errors<1%', 100, 10_000, 10_000],
  ])('is long enough for %s at %d/s', (objective, rate, asked, expected) => {
    const parsed = parseObjective(objective);
    expect(trialDurationMs(rate, asked, parsed, new Map([['plain', 1]]))).toBeCloseTo(expected);
  });

  it('is longer for a shape that few requests are of', () => {
    const objective = parseObjective('p99{express}<1ms');
    const mix = parseMix('plain=9,express=1');
    expect(trialDurationMs(1000, 2000, objective, mix)).toBeCloseTo(10_000);
  });
});
