import type { GeneratorReport } from '../engine/generator-report.ts';
import type { LoadOptions } from '../options.ts';
import type { LoadEngine, LoadPlan } from '../plan/plan.ts';
import { totalRequests } from '../plan/stages.ts';
import { type MergedRecord, mergeRecords } from '../record/merge.ts';
import type { SeriesPoint } from '../record/series.ts';
import type { ServerHealth } from '../record/server-probe.ts';
import { judgeThreshold, type Observation } from '../threshold.ts';
import { judgeGenerator } from './generator-health.ts';
import type { LoadResult } from './load-result.ts';
import { unreachableReason } from './reachability.ts';
import { judgeRun } from './verdict.ts';

/** All that a run leaves behind. */
export interface FinishedRun {
  options: LoadOptions;
  plan: LoadPlan;
  engine: LoadEngine;
  reports: readonly GeneratorReport[];
  series: SeriesPoint[];
  startedAtMs: number;
  finishedAtMs: number;
  /** The measured window as it came out, shorter than planned where the run was ended early. */
  measuredMs: number;
  interrupted: boolean;
  abortedOn: string | null;
  server: ServerHealth | null;
  workload: LoadResult['workload'];
  notes: readonly string[];
}

/** Puts the run document together (all but the tool), and judges the run. */
export function buildResult(run: FinishedRun): LoadResult {
  const { plan, options } = run;
  const merged = mergeRecords(run.reports.map(({ record }) => record));
  const planned = merged.ok + merged.failed;
  const rate = achievedRate(run, merged);
  const observation = observe(merged, planned, rate);
  const thresholds = (options.thresholds ?? []).map((threshold) =>
    judgeThreshold(threshold, observation),
  );
  const generator = judgeGenerator(plan.model, run.reports, merged);
  const { abortedOn, engine } = run;
  const unreachable = unreachableReason({
    engine,
    baseUrl: options.profile.baseUrl,
    planned,
    sent: merged.sent,
    errors: merged.errors,
  });
  return {
    kind: 'load',
    schemaVersion: 1,
    startedAt: new Date(run.startedAtMs).toISOString(),
    finishedAt: new Date(run.finishedAtMs).toISOString(),
    target: {
      name: options.profile.name,
      baseUrl: options.profile.baseUrl,
      environment: options.profile.environment,
    },
    model: plan.model,
    engine,
    intended: {
      rate: intendedRate(plan),
      connections: plan.connections,
      durationS: plan.durationMs / 1000,
      warmupS: plan.warmupMs / 1000,
      arrivals: plan.model === 'open' ? plan.arrivals : null,
    },
    achieved: { rate, planned, sent: merged.sent, ok: merged.ok, failed: merged.failed },
    latencyUs: { response: merged.response.summary(), service: merged.service.summary() },
    histograms: { response: merged.response.encode(), service: merged.service.encode() },
    series: run.series,
    statuses: merged.statuses,
    errors: merged.errors,
    thresholds,
    generator,
    server: run.server,
    ...judgeRun({ generator, thresholds, ok: merged.ok, abortedOn, unreachable }),
    seed: plan.seed,
    workload: run.workload,
    ...(run.interrupted && { interrupted: true }),
    ...(run.notes.length > 0 && { notes: [...run.notes] }),
  };
}

/** Of the stages after the warm-up. */
function intendedRate(plan: LoadPlan): number | null {
  if (plan.model === 'closed') return null;
  const measured = plan.warmupMs > 0 ? plan.stages.slice(1) : plan.stages;
  return round(totalRequests(measured) / (plan.durationMs / 1000));
}

/**
 * Successful answers that came in within the window, a second: what is answered after its end does
 * not count, so a backlog that grows cannot look like throughput.
 *
 * Without a warm-up the pipe of the open model is empty at first, and fills until the first answer of
 * any kind; that part is left out. The bound is what succeeded of the requests planned in the whole
 * window, so that no bad stretch is left out with it.
 */
function achievedRate({ plan, measuredMs }: FinishedRun, merged: MergedRecord): number {
  const windowS = measuredMs / 1000;
  if (windowS <= 0) return 0;
  const isEmptyAtFirst = plan.model === 'open' && plan.warmupMs === 0;
  const emptyS = isEmptyAtFirst ? (merged.firstAnswerAfterNs ?? 0) / 1e9 : 0;
  const rate = merged.okWithinWindow / Math.max(windowS - emptyS, windowS / 2);
  return round(plan.model === 'open' ? Math.min(rate, merged.ok / windowS) : rate);
}

function observe(merged: MergedRecord, planned: number, rate: number): Observation {
  return {
    ratePerS: rate,
    errorShare: planned > 0 ? merged.failed / planned : null,
    latencyUs: (of, at) => (of === 'service' ? merged.service : merged.response).at(at),
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
