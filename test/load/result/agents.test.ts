import { describe, expect, it } from 'vitest';
import type { GeneratorReport } from '../../../src/load/engine/engine.ts';
import type { LoadPlan } from '../../../src/load/plan.ts';
import { Recorder } from '../../../src/load/record/recorder.ts';
import { agentReasons, agentResults } from '../../../src/load/result/agents.ts';

const MS = 1e6;

function report(requests: number, lagMs = 0.01): GeneratorReport {
  const recorder = new Recorder({ startNs: 0, endNs: 1e12 });
  for (let index = 0; index < requests; index++) {
    const plannedNs = index * MS;
    recorder.sent(plannedNs, plannedNs, plannedNs + lagMs * MS);
    recorder.answered(plannedNs, plannedNs + lagMs * MS, plannedNs + 5 * MS, 200);
  }
  const usage = {
    cpu: 0.25,
    coreWait: 0.01,
    eventLoopUtilization: 0.3,
    stoodStillMs: 0,
    lostMs: 0,
    heldUp: 0,
  };
  return { record: recorder.finish(), usage, unsentThoughFree: 0 };
}

const part = (name: string, from: number, count: number) => ({
  name,
  cores: 2,
  range: { from, count },
  clockErrorUs: 12,
  missingUpdates: 0,
});
const PARTS = [part('a', 0, 2), part('b', 2, 1)];
const plan = {
  model: 'open',
  arrivals: 'constant',
  seed: 1,
  warmupMs: 1000,
  durationMs: 3000,
  stages: [{ fromRate: 300, toRate: 300, durationMs: 4000 }],
  generators: 3,
} as unknown as LoadPlan;

describe('agentResults', () => {
  it('adds up the generators of an agent', () => {
    const reports = [report(10), report(20), report(30)];
    const results = agentResults({ plan, parts: PARTS, reports, measuredMs: 3000 });
    expect(results).toMatchObject([
      { name: 'a', workers: 2, sent: 30, cpu: 0.5, coreWait: 0.01 },
      { name: 'b', workers: 1, sent: 30, cpu: 0.25, coreWait: 0.01 },
    ]);
    expect(agentReasons(results)).toEqual([]);
  });

  it.each([
    [3000, 300 - 40],
    [2000, 200 - 40],
  ])('counts the requests of a lost one in a window of %d ms', (measuredMs, unknown) => {
    const lost = { atS: 1.25, how: 'silent' } as const;
    const reports = [report(300), report(300), { ...report(40), lost }];
    const results = agentResults({ plan, parts: PARTS, reports, measuredMs });
    expect(results[1]?.lost).toEqual({ atS: 1.25, how: 'silent', requestsUnaccounted: unknown });
    expect(agentReasons(results)).toEqual([
      `Agent b was lost at 1.3 s (it answered no more); ${unknown} of its requests are unaccounted for.`,
    ]);
  });

  it('says of one whether it was lost, and how many of its updates did not arrive', () => {
    const lost = { atS: 1.25, how: 'silent' } as const;
    const parts = [{ ...part('a', 0, 1), missingUpdates: 3 }, part('b', 1, 1)];
    const reports = [{ ...report(10), lost }, report(10)];
    const results = agentResults({ plan, parts, reports, measuredMs: 3000 });
    expect(results.map(({ missingUpdates }) => missingUpdates)).toEqual([3, undefined]);
    expect(agentReasons(results)).toEqual([
      expect.stringContaining('Agent a was lost at 1.3 s'),
      '3 updates of agent a did not arrive: its seconds have gaps.',
    ]);
  });

  it('cannot count those of the closed model', () => {
    const lost = { atS: 1, how: 'ended' } as const;
    const reports = [report(1), report(1), { ...report(1), lost }];
    const closed = { ...plan, model: 'closed' } as const;
    const [, agent] = agentResults({ plan: closed, parts: PARTS, reports, measuredMs: 3000 });
    expect(agent?.lost?.requestsUnaccounted).toBeNull();
  });
});
