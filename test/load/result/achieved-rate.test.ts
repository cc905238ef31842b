import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/load/index.ts';
import { planLoad } from '../../../src/load/plan-load.ts';
import { Recorder } from '../../../src/load/record/recorder.ts';
import { buildResult } from '../../../src/load/result/build.ts';
import { Redactor } from '../../../src/redaction/index.ts';
import { profile } from './profile.ts';

const MS = 1e6;
const RATE = 20;
const DURATION_MS = 3000;

/** Time and status of the answer to a request planned at a time; milliseconds. */
type Target = (plannedMs: number) => { doneMs: number; status: number };

/** The run of 20/s over 3 s on this target, planned from the start of the warm-up. */
async function run(target: Target, model: 'open' | 'closed' = 'open', warmupMs = 0) {
  const load = await planLoad({
    ledger: 'none',
    profile,
    clock: systemClock(),
    seed: 1,
    ...(model === 'open' && { rate: RATE }),
    duration: `${DURATION_MS}ms`,
    warmup: `${warmupMs}ms`,
    threshold: ['rate>18/s'],
    findFaults: () => [],
  });
  const recorder = new Recorder({
    startNs: warmupMs * MS,
    endNs: (warmupMs + DURATION_MS) * MS,
  });
  const answers = Array.from({ length: (RATE * (warmupMs + DURATION_MS)) / 1000 }, (_, index) => {
    const plannedMs = (index * 1000) / RATE;
    return { plannedMs, ...target(plannedMs) };
  });
  for (const { plannedMs, doneMs, status } of answers.sort((a, b) => a.doneMs - b.doneMs)) {
    recorder.answered(plannedMs * MS, plannedMs * MS, doneMs * MS, status);
  }
  const result = buildResult({
    load,
    reports: [
      {
        record: recorder.finish(),
        usage: {
          cpu: 0.1,
          coreWait: 0,
          eventLoopUtilization: 0.1,
          stoodStillMs: 0,
          lostMs: 0,
          heldUp: 0,
        },
        unsentThoughFree: 0,
      },
    ],
    series: [],
    startedAtMs: 0,
    finishedAtMs: DURATION_MS,
    measuredMs: DURATION_MS,
    abortedOn: null,
    server: null,
    partnerId: 'p',
    requestCount: 1,
    notes: [],
    redactor: new Redactor(),
  });
  return { ...result.achieved, held: result.thresholds[0]?.held };
}

describe('the achieved rate without a warm-up', () => {
  it('counts a window that began with refusals as a whole', async () => {
    const { ok, rate, held } = await run((plannedMs) => ({
      doneMs: plannedMs + 1,
      status: plannedMs < 1500 ? 503 : 200,
    }));
    expect(ok).toBe(30);
    expect(rate).toBeCloseTo(10, 1);
    expect(held).toBe(false);
  });

  it('counts a window that began with a target that did not answer as a whole', async () => {
    const { ok, rate, held } = await run((plannedMs) =>
      plannedMs < 1500
        ? { doneMs: plannedMs + 5000, status: 504 }
        : { doneMs: plannedMs + 1, status: 200 },
    );
    expect(ok).toBe(30);
    expect(rate).toBe(10);
    expect(held).toBe(false);
  });

  it.each([0.4, 10, 190, 1000])(
    'is the planned rate to 0.1 %% where each answer takes %d ms',
    async (latencyMs) => {
      const { rate, held } = await run((plannedMs) => ({
        doneMs: plannedMs + latencyMs,
        status: 200,
      }));
      expect(Math.abs(rate / RATE - 1)).toBeLessThanOrEqual(0.001);
      expect(held).toBe(true);
    },
  );

  it('does not count a growing backlog as throughput', async () => {
    // Ten a second are answered.
    const { ok, rate } = await run((plannedMs) => ({
      doneMs: (plannedMs * RATE) / 10 + 1,
      status: 200,
    }));
    expect(ok).toBe(60);
    expect(rate).toBeCloseTo(10, 0);
  });

  it('excludes nothing in the closed model, which is busy from the start', async () => {
    const { rate } = await run((plannedMs) => ({ doneMs: plannedMs + 49, status: 200 }), 'closed');
    expect(rate).toBeLessThanOrEqual(RATE);
  });

  it.each(['open', 'closed'] as const)('counts no refusal in the %s model', async (model) => {
    const { ok, failed, rate, held } = await run(
      (plannedMs) => ({ doneMs: plannedMs + 1, status: plannedMs % 100 === 0 ? 200 : 403 }),
      model,
    );
    expect({ ok, failed, held }).toEqual({ ok: 30, failed: 30, held: false });
    expect(rate).toBeCloseTo(10, 1);
  });
});

describe('the achieved rate after a warm-up', () => {
  it('excludes no wait at the start of the window', async () => {
    const stalls: Target = (plannedMs) => ({
      doneMs: plannedMs + (plannedMs < 1000 ? 1 : 1000),
      status: 200,
    });
    const { ok, rate } = await run(stalls, 'open', 1000);
    expect(ok).toBe(60);
    expect(rate).toBeCloseTo(40 / 3, 3);
  });

  it('counts in the closed model what ended in the window, whenever it began', async () => {
    const stops: Target = (plannedMs) => ({
      doneMs: plannedMs + 501,
      status: plannedMs < 1000 ? 200 : 503,
    });
    const { ok, rate } = await run(stops, 'closed', 1000);
    expect(ok).toBe(0);
    expect(rate).toBeCloseTo(10 / 3, 3);
  });
});
