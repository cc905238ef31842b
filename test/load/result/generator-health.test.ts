import { describe, expect, it } from 'vitest';
import type { AgentPart } from '../../../src/load/agents/agent-progress.ts';
import type { GeneratorReport } from '../../../src/load/engine/engine.ts';
import { mergeRecords } from '../../../src/load/record/merge.ts';
import { Recorder } from '../../../src/load/record/recorder.ts';
import { judgeGenerator } from '../../../src/load/result/generator-health.ts';

const MS = 1e6;

interface Run {
  /** Of each of 1000 requests. */
  lagMs?: number;
  waitMs?: number;
  serviceMs?: number;
  utilization?: number;
  coreWait?: number | null;
  cpu?: number | null;
  unsentThoughFree?: number;
  seesSendLag?: boolean;
  acceptedLatenessUs?: number;
  /** Of one more request, that got no connection. */
  brokenBy?: string;
}

function reportOf(run: Run): GeneratorReport {
  const recorder = new Recorder({ startNs: 0, endNs: 1e12 });
  const { lagMs = 0.01, waitMs = 0, serviceMs = 5 } = run;
  for (let index = 0; index < 1000; index++) {
    const plannedNs = index * MS;
    const sentNs = plannedNs + (lagMs + waitMs) * MS;
    recorder.sent(plannedNs, plannedNs, plannedNs + lagMs * MS);
    recorder.answered(plannedNs, sentNs, sentNs + serviceMs * MS, 200);
  }
  if (run.brokenBy !== undefined) recorder.broke(run.brokenBy, 0, null, MS);
  const { cpu = 0.5, coreWait = 0 } = run;
  return {
    record: recorder.finish(),
    usage: {
      cpu,
      coreWait,
      eventLoopUtilization: run.utilization ?? 0.3,
    },
    unsentThoughFree: run.unsentThoughFree ?? 0,
  };
}

/** Judges two generators, each with a run of its own or both with the same. */
function judge(model: 'open' | 'closed', run: Run, other = run, agents?: readonly AgentPart[]) {
  const reports = [reportOf(run), reportOf(other)];
  return judgeGenerator({
    model,
    place: 'elsewhere',
    seesSendLag: run.seesSendLag ?? true,
    reports,
    merged: mergeRecords(reports.map(({ record }) => record)),
    agents,
    acceptedLatenessUs: run.acceptedLatenessUs,
  });
}

describe('judgeGenerator', () => {
  it('accepts a healthy generator', () => {
    expect(judge('open', {})).toMatchObject({
      workers: 2,
      cpu: 1,
      coreWait: 0,
      eventLoopUtilization: 0.3,
      saturated: false,
      reasons: [],
    });
  });

  it('needs send lag over 1 ms and over 5 % of the response p99', () => {
    expect(judge('open', { lagMs: 1.2, serviceMs: 5 }).saturated).toBe(true);
    expect(judge('open', { lagMs: 0.9, serviceMs: 5 }).saturated).toBe(false);
    expect(judge('open', { lagMs: 1.2, serviceMs: 50 }).saturated).toBe(false);
    expect(judge('closed', { lagMs: 1.2, serviceMs: 5 }).saturated).toBe(true);
  });

  it('does not blame the generator for a target that keeps connections busy', () => {
    expect(judge('open', { waitMs: 500 }).saturated).toBe(false);
  });

  it('blames the generator for a due request unsent with a connection free', () => {
    const health = judge('open', { unsentThoughFree: 1 });
    expect(health.saturated).toBe(true);
    expect(health.reasons.join(' ')).toContain('unsent though a connection was free');
  });

  it('blames the generator for a busy event loop with requests waiting, in the open model only', () => {
    expect(judge('open', { utilization: 0.99, waitMs: 50 }).saturated).toBe(true);
    expect(judge('open', { utilization: 0.99 }).saturated).toBe(false);
    expect(judge('closed', { utilization: 0.99, waitMs: 50 }).saturated).toBe(false);
  });

  it('blames the generator for a machine without file descriptors', () => {
    const health = judge('closed', { brokenBy: 'EMFILE' });
    expect(health.saturated).toBe(true);
    expect(health.reasons.join(' ')).toContain('(EMFILE): ask for fewer connections');
    expect(judge('closed', { brokenBy: 'ECONNREFUSED' }).saturated).toBe(false);
  });

  it('tells lateness from what else may be wrong', () => {
    expect(judge('open', { lagMs: 3 })).toMatchObject({ saturated: true, late: true });
    expect(judge('open', { coreWait: 0.2 })).toMatchObject({ saturated: true, late: true });
    expect(judge('open', { lagMs: 0.1 })).toMatchObject({ saturated: false, late: false });
    const exhausted = judge('open', { lagMs: 3, brokenBy: 'EMFILE' });
    expect(exhausted).toMatchObject({ saturated: true, late: false });
  });

  it('accepts lateness up to what it is told, whatever causes it', () => {
    const accepting = (acceptedMs: number, given: Run) =>
      judge('open', { ...given, acceptedLatenessUs: acceptedMs * 1000 });
    expect(accepting(5, { lagMs: 5, serviceMs: 5, coreWait: 0.4 })).toMatchObject({
      saturated: false,
      acceptedLatenessUs: 5000,
      saturationLimits: expect.stringContaining('over 5 ms, which was accepted'),
    });
    expect(accepting(5, { lagMs: 5.1, serviceMs: 500 }).saturated).toBe(true);
    expect(accepting(5, { unsentThoughFree: 1 }).saturated).toBe(true);
  });

  it('blames nothing below a limit', () => {
    expect(judge('open', { lagMs: 1, serviceMs: 5 }).saturated).toBe(false);
    expect(judge('open', { lagMs: 2, serviceMs: 38 }).saturated).toBe(false);
    expect(judge('open', { lagMs: 2, serviceMs: 37 }).saturated).toBe(true);
    expect(judge('open', { utilization: 0.97, lagMs: 0, waitMs: 1 }).saturated).toBe(false);
    expect(judge('open', { utilization: 0.97, waitMs: 50 }).saturated).toBe(true);
    expect(judge('open', { utilization: 0.97, waitMs: 0.5 }).saturated).toBe(false);
    expect(judge('open', { utilization: 0.9699, waitMs: 50 }).saturated).toBe(false);
  });

  it('gives what was measured in the units of its sentences', () => {
    const [late] = judge('open', { lagMs: 3, serviceMs: 5 }).reasons;
    expect(late).toBe(
      'The generator sent late: send lag p99 was 3.00 ms, with a response p99 of 8.00 ms.',
    );
    const [busy] = judge('open', { utilization: 0.99, waitMs: 50 }).reasons;
    expect(busy).toContain('busy event loop for 99.0 % of the time');
    const health = judge('open', { lagMs: 3 });
    expect(health.sendLagUs).toEqual({ p50: 3000, p90: 3000, p99: 3000, max: 3000 });
    expect(health.saturationLimits).toContain('over 5 % of the response p99');
    expect(health.saturationLimits).toContain('busy for 97 % of the time');
    expect(judge('open', { unsentThoughFree: 2 }).reasons[0]).toContain('left 4 due requests');
  });

  it.each(['open', 'closed'] as const)('blames missing cores in the %s model', (model) => {
    const health = judge(model, { coreWait: 0.341 });
    expect(health).toMatchObject({ saturated: true, coreWait: 0.341 });
    expect(health.reasons).toEqual([
      'The generator was ready to run and got no core for 34.1 % of the time.',
      expect.stringContaining('Stop other programs on this machine'),
    ]);
    expect(judge(model, { coreWait: 0.05 }).saturated).toBe(false);
    expect(judge(model, { coreWait: 0.051 }).saturated).toBe(true);
    expect(health.saturationLimits).toContain('no core for 5 % of the time');
  });

  it('says what to do about each cause', () => {
    const adviceOn = (run: Run): string | undefined => judge('open', run).reasons.at(-1);
    const threads = 'Give the generator more worker threads.';
    const cores = expect.stringContaining('run the generator on another one') as string;
    expect(adviceOn({ lagMs: 3, utilization: 0.95 })).toBe(threads);
    expect(adviceOn({ waitMs: 50, utilization: 0.99 })).toBe(threads);
    expect(adviceOn({ lagMs: 3, utilization: 0.3 })).toEqual(cores);
    expect(adviceOn({ lagMs: 3, utilization: 0.95, coreWait: 0.2 })).toEqual(cores);
    expect(adviceOn({ brokenBy: 'EMFILE' })).toContain('ask for fewer connections');
    expect(judge('open', { lagMs: 3 }).saturationLimits).toContain('1 ms');
  });

  it('does not judge send lag if the engine does not measure it', () => {
    const health = judge('closed', { lagMs: 9, seesSendLag: false });
    expect(health).toMatchObject({ sendLagUs: null, saturated: false });
  });

  it('tells what some of the generators could not measure', () => {
    expect(judge('open', { cpu: null }, {}).cpu).toBeNull();
    expect(judge('open', { coreWait: null }).coreWait).toBeNull();
    expect(judge('open', { coreWait: null }).saturated).toBe(false);
    expect(judge('open', { coreWait: null }, { coreWait: 0.01 }).coreWait).toBe(0.01);
  });

  it('gives the longest wait for a core', () => {
    expect(judge('open', { coreWait: 0.01 }, { coreWait: 0.04 }).coreWait).toBe(0.04);
  });

  it('names the one generator beyond a limit, and of several the worst figure', () => {
    const sentence = (share: string, subject: string): string =>
      `${subject} was ready to run and got no core for ${share} % of the time.`;
    const reasonOf = (...args: Parameters<typeof judge>) => judge(...args).reasons[0];
    expect(reasonOf('open', {}, { coreWait: 0.3 })).toBe(sentence('30.0', 'Generator 2 of 2'));
    expect(reasonOf('open', { coreWait: 0.2 }, { coreWait: 0.3 })).toBe(
      sentence('30.0', 'The generator'),
    );
    expect(reasonOf('open', { coreWait: 0.3 }, { coreWait: 0.2 })).toBe(
      sentence('30.0', 'The generator'),
    );
  });

  it('takes the latest of several for the worst, whatever each was allowed', () => {
    const latest = { lagMs: 30, serviceMs: 5 };
    const slow = { lagMs: 20, serviceMs: 300 };
    expect(judge('open', latest, slow).reasons.join()).toContain('was 30.');
    expect(judge('open', slow, latest).reasons.join()).toContain('was 30.');
  });

  it('names the agent that ran it', () => {
    const agent = (name: string, from: number, count: number) =>
      ({ name, range: { from, count } }) as unknown as AgentPart;
    const subjectOf = (agents: readonly AgentPart[], ...runs: readonly [Run, Run]) =>
      judge('open', ...runs, agents).reasons[0]?.split(' was ')[0];
    const [well, ill] = [{}, { coreWait: 0.3 }];
    const each = [agent('east', 0, 1), agent('west', 1, 1)];
    expect(subjectOf(each, well, ill)).toBe('The generator of agent west');
    expect(subjectOf(each.toReversed(), ill, well)).toBe('The generator of agent east');
    const later = [agent('east', -1, 1), agent('west', 0, 2)];
    expect(subjectOf(later, ill, well)).toBe('Generator 1 of 2 of agent west');
    const second = [agent('east', 0, 1), agent('west', 1, 2)];
    expect(subjectOf(second, well, ill)).toBe('Generator 1 of 2 of agent west');
  });

  it('names what was exhausted in order', () => {
    const health = judge('closed', { brokenBy: 'ENFILE' }, { brokenBy: 'EMFILE' });
    expect(health.reasons.join(' ')).toContain('(EMFILE, ENFILE)');
  });

  it('advises threads from an event loop that is busy for nine tenths', () => {
    const adviceAt = (utilization: number) => judge('open', { lagMs: 3, utilization }).reasons[1];
    expect(adviceAt(0.9)).toContain('Give the generator more');
    expect(adviceAt(0.899)).not.toContain('Give the generator more');
  });
});
