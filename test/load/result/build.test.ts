import { describe, expect, it } from 'vitest';
import { loadSchema } from '../../../src/documents/load.ts';
import type { GeneratorReport } from '../../../src/load/engine/engine.ts';
import { type LoadOptions, type RunContext, systemClock } from '../../../src/load/index.ts';
import { stageStartsMs } from '../../../src/load/plan.ts';
import { planLoad } from '../../../src/load/plan-load.ts';
import { Recorder } from '../../../src/load/record/recorder.ts';
import { buildResult, type FinishedRun } from '../../../src/load/result/build.ts';
import { Redactor } from '../../../src/redaction/index.ts';
import { profile } from './profile.ts';

const MS = 1e6;
const WARMUP_MS = 500;
const DURATION_MS = 2000;

/** A run of 2 s after 0.5 s of warm-up: one request each 100 ms, answered after 20 ms. */
async function result(
  options: Partial<LoadOptions & RunContext> = {},
  run: Partial<FinishedRun> &
    Pick<GeneratorReport, 'faultSamples' | 'unexpectedBytes'> & {
      fault?: string;
      coreWait?: number;
    } = {},
) {
  const load = await planLoad({
    ledger: 'none',
    profile,
    clock: systemClock(),
    seed: 7,
    findFaults: () => [],
    duration: `${DURATION_MS}ms`,
    warmup: `${WARMUP_MS}ms`,
    ...options,
  });
  const startNs = (load.plan.warmupMs || 0) * MS;
  const recorder = new Recorder(
    { startNs, endNs: startNs + DURATION_MS * MS },
    stageStartsMs(load.plan).map((ms) => startNs + ms * MS),
  );
  for (let at = 0; at < DURATION_MS; at += 100) {
    const plannedNs = startNs + at * MS;
    const fault = at === 0 ? (run.fault ?? null) : null;
    // Every fifth request is of the second shape, and slower.
    const shape = load.mix.size > 1 && at % 500 === 0 ? 1 : 0;
    const doneNs = plannedNs + (shape === 1 ? 50 : 20) * MS;
    recorder.checked(plannedNs, shape);
    recorder.answered(plannedNs, plannedNs + 5 * MS, doneNs, 200, fault, shape);
  }
  const { unexpectedBytes, faultSamples, coreWait = 0 } = run;
  const usage = {
    cpu: 0.1,
    coreWait,
    eventLoopUtilization: 0.1,
    stoodStillMs: 0,
    lostMs: 0,
    heldUp: 0,
  };
  return buildResult({
    load,
    reports: [
      {
        record: recorder.finish(),
        usage,
        unsentThoughFree: 0,
        ...(unexpectedBytes !== undefined && { unexpectedBytes }),
        ...(faultSamples && { faultSamples }),
      },
    ],
    series: [],
    startedAtMs: Date.UTC(2026, 2, 1),
    finishedAtMs: Date.UTC(2026, 2, 1) + 2600,
    measuredMs: DURATION_MS,
    abortedOn: null,
    server: null,
    partnerId: 'p',
    requestCount: 40,
    notes: [],
    redactor: new Redactor(),
    ...run,
  });
}

describe('the document of a run', () => {
  it('has the plan, and what was measured of it, in the units that its fields name', async () => {
    const document = await result({ rate: 10 });
    expect(document).toMatchObject({
      startedAt: '2026-03-01T00:00:00.000Z',
      finishedAt: '2026-03-01T00:00:02.600Z',
      target: { name: 'recorded', baseUrl: 'http://127.0.0.1:1', environment: 'production' },
      model: 'open',
      intended: { rate: 10, durationS: 2, warmupS: 0.5, arrivals: 'constant' },
      achieved: { rate: 10, planned: 20, sent: 20, ok: 20, failed: 0, checked: 20 },
      latencyUs: {
        response: { min: 20_000, max: 20_000, count: 20 },
        service: { min: 15_000, max: 15_000, count: 20 },
      },
      histograms: { response: expect.any(String), service: expect.any(String) },
      verdict: 'held',
      seed: 7,
      workload: { identity: 'platform', partnerId: 'p', mix: { plain: 1 }, requests: 40 },
    });
    expect(document).not.toHaveProperty('interrupted');
    expect(document).not.toHaveProperty('notes');
  });

  it('states the mean rate of the stages after the warm-up', async () => {
    const stages = '10/1s,40-60/1s';
    for (const warmupMs of [0, 500]) {
      const { intended } = await result({ stages, duration: undefined, warmup: `${warmupMs}ms` });
      expect(intended).toMatchObject({ rate: 30, durationS: 2, warmupS: warmupMs / 1000 });
    }
  });

  it('says what shares the cores with a generator that got none', async () => {
    const probeServer = (): Promise<never> => Promise.reject(new Error('not asked'));
    const elsewhere = { ...profile, baseUrl: 'https://rides.example.com' };
    const adviceOn = async (options: Partial<LoadOptions & RunContext>) =>
      (
        await result(
          { connections: 1, findFaults: undefined, iMayLoadThisTarget: true, ...options },
          { coreWait: 0.2 },
        )
      ).generator.reasons.at(-1);
    expect(await adviceOn({ probeServer })).toMatch(/^The embedded server shares /);
    expect(await adviceOn({})).toMatch(/^The target shares .* use fewer connections/);
    expect(await adviceOn({ profile: elsewhere })).toMatch(/^Stop other programs/);
  });

  it('has neither rate nor arrivals to intend in the closed model', async () => {
    const { model, intended } = await result({ connections: 3 });
    expect({ model, intended }).toMatchObject({
      model: 'closed',
      intended: { rate: null, arrivals: null, connections: 3 },
    });
  });

  it('judges thresholds on latency by the response time, and by the service time if they say so', async () => {
    const { thresholds, verdict, reason } = await result({
      rate: 10,
      threshold: ['p99<18ms', 'service.p99<18ms', 'mean<25ms', 'max<21ms'],
    });
    expect(thresholds.map(({ held }) => held)).toEqual([false, true, true, true, true]);
    expect({ verdict, reason }).toEqual({ verdict: 'fell-short', reason: 'Not held: p99<18ms.' });
  });

  it('has the requests of each shape of a mix, and thresholds on them', async () => {
    const thresholds = [
      'p99<30ms',
      'p99{plain}<30ms',
      'p99{express}<30ms',
      'service.max{express}<46ms',
      'errors{express}<10%',
      'errors{plain}<10%',
    ];
    const estimates = { ...profile.estimates, express: { product_type: 'express-car' } };
    const mixed = await result(
      { rate: 10, profile: { ...profile, estimates }, threshold: thresholds },
      { fault: 'answer-shape' },
    );
    expect(mixed.shapes).toMatchObject([
      { shape: 'plain', planned: 16, ok: 16, failed: 0, latencyUs: { response: { p99: 20_000 } } },
      {
        shape: 'express',
        planned: 4,
        ok: 3,
        failed: 1,
        latencyUs: {
          response: { max: 50_000, count: 3 },
          service: { max: 45_000 },
          all: { count: 4 },
        },
      },
    ]);
    expect(mixed.thresholds).toMatchObject([
      { metric: 'p99', held: false },
      { metric: 'p99{plain}', shape: 'plain', observed: 20_000, held: true },
      {
        metric: 'p99{express}',
        shape: 'express',
        observed: null,
        ofSuccesses: 50_000,
        held: false,
      },
      {
        metric: 'service.max{express}',
        observed: null,
        ofSuccesses: 45_000,
        shortByFailures: true,
        held: false,
      },
      { metric: 'errors{express}', observed: 0.25, held: false },
      { metric: 'errors{plain}', observed: 0, held: true },
      { expression: 'errors<1%', isDefault: true },
    ]);
    expect(loadSchema.parse({ ...mixed, tool: { name: 'fareproof', version: '1' } })).toBeTruthy();
    expect(await result({ rate: 10 })).not.toHaveProperty('shapes');
  });

  it('has the requests of each stage, and thresholds on them', async () => {
    const stages = '10/1500ms,10-40/500ms';
    const thresholds = ['p99{stage:1}<30ms', 'errors{stage:1}<1%', 'errors{stage:2}<1%'];
    for (const warmupMs of [0, 500]) {
      const staged = await result(
        { stages, duration: undefined, warmup: `${warmupMs}ms`, threshold: thresholds },
        { fault: 'answer-shape' },
      );
      expect(staged.stages).toMatchObject([
        { stage: 1, fromRate: 10, toRate: 10, startS: 0, durationS: 1.5, planned: 15, failed: 1 },
        { stage: 2, fromRate: 10, toRate: 40, startS: 1.5, durationS: 0.5, planned: 5, ok: 5 },
      ]);
      expect(staged.thresholds).toMatchObject([
        { metric: 'p99{stage:1}', stage: 1, observed: null, ofSuccesses: 20_000, held: false },
        { metric: 'errors{stage:1}', observed: 1 / 15, held: false },
        { metric: 'errors{stage:2}', observed: 0, held: true },
        { isDefault: true },
      ]);
    }
    expect(await result({ rate: 10 })).not.toHaveProperty('stages');
  });

  it('counts what failed as planned', async () => {
    const { achieved } = await result({ rate: 10 }, { fault: 'answer-shape' });
    expect(achieved).toMatchObject({ planned: 20, ok: 19, failed: 1 });
  });

  it('has the agents that ran the generators, and is invalid for what they lost', async () => {
    const agent = { name: 'a', cores: 2, range: { from: 0, count: 1 }, clockErrorUs: 12 };
    const whole = await result({ rate: 10 }, { agents: [{ ...agent, missingUpdates: 0 }] });
    expect(whole.agents).toMatchObject([{ name: 'a', workers: 1, sent: 20, cpu: 0.1 }]);
    expect(whole.verdict).toBe('held');
    const gaps = await result({ rate: 10 }, { agents: [{ ...agent, missingUpdates: 2 }] });
    expect(gaps).toMatchObject({
      verdict: 'invalid',
      reason: '2 updates of agent a did not arrive: its seconds have gaps.',
    });
    expect(await result({ rate: 10 })).not.toHaveProperty('agents');
  });

  it('has the first sample of each fault that was counted, without secrets', async () => {
    const sample = (fault: string, body: string) => ({ fault, problem: 'p', body });
    const faultSamples = [
      sample('answer-not-json', 'of the warm-up'),
      sample('answer-shape', '{"key":"secret"}'),
      sample('answer-shape', 'another'),
    ];
    const redactor = new Redactor();
    redactor.add('signing_key', 'secret', 'p');
    const faulty = await result({ rate: 10 }, { fault: 'answer-shape', faultSamples, redactor });
    expect(faulty.faultSamples).toEqual([sample('answer-shape', '{"key":"[signing_key p]"}')]);
    const other = await result({ rate: 10 }, { fault: 'answer-not-json', faultSamples });
    expect(other.faultSamples).toEqual([sample('answer-not-json', 'of the warm-up')]);
    expect(await result({ rate: 10 }, { faultSamples })).not.toHaveProperty('faultSamples');
    const without = await result({ rate: 10 }, { fault: 'answer-shape' });
    expect(without).not.toHaveProperty('faultSamples');
  });

  it('says that the run was interrupted', async () => {
    const signal = AbortSignal.abort();
    expect(await result({ rate: 10, signal })).toMatchObject({
      interrupted: true,
      verdict: 'invalid',
      invalidBy: 'interruption',
    });
    const { signal: running } = new AbortController();
    expect(await result({ rate: 10, signal: running })).not.toHaveProperty('interrupted');
  });

  it('keeps the notes of the run before its own', async () => {
    const { notes } = await result({ rate: 10 }, { notes: ['first'], fault: 'answer-shape' });
    expect(notes).toEqual([
      'first',
      expect.stringContaining('Of 20 responses with status 200 whose shape was checked, 1 were no'),
    ]);
  });

  it.each([
    [1, 'came once'],
    [3, 'came 3 times'],
  ])('says how often bytes of no answer came: %i', async (unexpectedBytes, often) => {
    const { notes } = await result({ rate: 10 }, { unexpectedBytes });
    expect(notes).toEqual([expect.stringContaining(often)]);
    expect(await result({ rate: 10 }, { unexpectedBytes: 0 })).not.toHaveProperty('notes');
  });

  it('is invalid with the reason that no request could be sent', async () => {
    expect(await result({ rate: 10 }, { unreachable: 'no address' })).toMatchObject({
      verdict: 'invalid',
      reason: 'no address',
    });
  });

  it('has no rate if it ended before its window began', async () => {
    expect((await result({ rate: 10 }, { measuredMs: 0 })).achieved.rate).toBe(0);
  });
});
