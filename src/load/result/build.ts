import type { LoadDocument, SeriesPoint, ServerHealth } from '../../documents/load.ts';
import type { Redactor } from '../../redaction/index.ts';
import type { AgentPart } from '../agents/agent-progress.ts';
import type { GeneratorReport } from '../engine/engine.ts';
import { type LoadPlan, measuredStages, totalRequests } from '../plan.ts';
import type { JudgedLoad } from '../plan-load.ts';
import { redactSample } from '../record/fault-sample.ts';
import { roundTo3 } from '../record/histogram.ts';
import { type MergedRecord, mergeRecords } from '../record/merge.ts';
import { allOf, latencySummaries } from '../record/parts.ts';
import { SHAPE_FAULTS } from '../record/recorder.ts';
import { placeOf } from '../target-address.ts';
import type { Observation } from '../threshold.ts';
import { agentReasons, agentResults } from './agents.ts';
import { judgeGenerator } from './generator-health.ts';
import {
  errorShareOf,
  malformedIn,
  observePart,
  partResults,
  reconnectedShareOf,
} from './parts.ts';
import { judgeLoad, LATE_NOTE, unreachableReason, whyNoUpperBounds } from './verdict.ts';

/** A load run document (`kind: "load"`), all but the tool. */
export type LoadResult = Omit<LoadDocument, 'tool'>;

/** Everything that a run leaves behind. */
export interface FinishedRun {
  load: JudgedLoad;
  reports: readonly GeneratorReport[];
  /** The agents that ran the generators; undefined for threads of this process. */
  agents?: readonly AgentPart[] | undefined;
  series: SeriesPoint[];
  startedAtMs: number;
  finishedAtMs: number;
  /** The measured window, shorter than planned where the run was ended early. */
  measuredMs: number;
  /** The condition that ended the run early; null for none. */
  abortedOn: string | null;
  server: ServerHealth | null;
  partnerId: string;
  /** Different requests, sent in turn. */
  requestCount: number;
  notes: readonly string[];
  /** Knows what a sample of an answer must not show. */
  redactor: Redactor;
  /** Reason why no request could be sent. */
  unreachable?: string;
}

/** Puts the run document together, all but the tool, and judges the run. */
export function buildResult(run: FinishedRun): LoadResult {
  const { load, reports, abortedOn, measuredMs } = run;
  const { context, engine, plan } = load;
  const { name, baseUrl, environment } = context.profile;
  const merged = mergeRecords(reports.map(({ record }) => record));
  const { sent, ok, failed, checked, errors } = merged;
  const planned = ok + failed;
  const rate = achievedRate(run, merged);
  const observation: Observation = {
    ratePerS: rate,
    errorShare: errorShareOf(merged),
    reconnectedShare: reconnectedShareOf(merged),
    latencyUs: (of, at) => merged[of].at(at),
    part: (part) => observePart(load, merged.parts, part),
  };
  const { seesSendLag } = engine.can;
  const { model } = plan;
  const place = placeOf(baseUrl, context.probeServer !== undefined);
  const generator = (context.judgeGenerator ?? judgeGenerator)({
    model,
    place,
    seesSendLag,
    reports,
    merged,
    agents: run.agents,
    acceptedLatenessUs: plan.acceptedLatenessUs,
  });
  const achieved = {
    rate,
    planned,
    sent,
    ok,
    failed,
    checked,
    ...(engine.can.reconnects && { reconnected: merged.reconnected }),
  };
  const noUpperBounds = generator.late ? whyNoUpperBounds({ ...run, plan, achieved }) : null;
  const agents = run.agents && agentResults({ plan, parts: run.agents, reports, measuredMs });
  const unreachable = run.unreachable ?? unreachableReason({ baseUrl, planned, sent, errors });
  const judged = judgeLoad(load, observation, {
    generator,
    faults: agentReasons(agents ?? []),
    noUpperBounds,
    ok,
    abortedOn,
    unreachable,
  });
  const notes = [
    ...(judged.verdict === 'held' && generator.late ? [LATE_NOTE] : []),
    ...run.notes,
    ...countingNotes(reports),
    ...shapeNotes(merged),
  ];
  return {
    kind: 'load',
    schemaVersion: 1,
    startedAt: new Date(run.startedAtMs).toISOString(),
    finishedAt: new Date(run.finishedAtMs).toISOString(),
    target: { name, baseUrl, environment },
    model,
    engine: engine.name,
    intended: {
      rate: intendedRate(plan),
      connections: plan.connections,
      durationS: plan.durationMs / 1000,
      warmupS: plan.warmupMs / 1000,
      arrivals: plan.model === 'open' ? plan.arrivals : null,
    },
    achieved,
    latencyUs: latencySummaries(merged),
    ...partResults(load, merged.parts),
    histograms: {
      response: merged.response.encode(),
      service: merged.service.encode(),
      all: allOf(merged).encode(),
    },
    series: engine.can.seesSendLag ? run.series : run.series.map(withoutSent),
    statuses: merged.statuses,
    errors,
    ...faultSamplesOf(run, errors),
    generator,
    ...(agents && { agents }),
    server: run.server,
    ...judged,
    seed: plan.seed,
    workload: {
      identity: load.identity,
      partnerId: run.partnerId,
      mix: Object.fromEntries(load.mix),
      requests: run.requestCount,
    },
    ...(context.signal?.aborted && { interrupted: true }),
    ...(notes.length > 0 && { notes }),
  };
}

/** The second of an engine that does not tell when it sends: 0 would say that it sent nothing. */
function withoutSent(point: SeriesPoint): SeriesPoint {
  const { sent: _, ...known } = point;
  return known;
}

/** The first sample of each fault that was counted. */
function faultSamplesOf(
  { reports, redactor }: FinishedRun,
  errors: Readonly<Record<string, number>>,
): Pick<LoadDocument, 'faultSamples'> {
  const all = reports.flatMap(({ faultSamples = [] }) => faultSamples);
  const samples = SHAPE_FAULTS.filter((fault) => (errors[fault] ?? 0) > 0)
    .flatMap((fault) => all.find((sample) => sample.fault === fault) ?? [])
    .map((sample) => redactSample(sample, redactor));
  return samples.length === 0 ? {} : { faultSamples: samples };
}

/** Mean rate of the stages after the warm-up. */
function intendedRate(plan: LoadPlan): number | null {
  if (plan.model === 'closed') return null;
  return roundTo3(totalRequests(measuredStages(plan)) / (plan.durationMs / 1000));
}

/**
 * Successful answers per second within the window. Answers after its end do not count, so a growing
 * backlog cannot look like throughput.
 *
 * Without a warm-up nothing is in flight when the open model starts; the time until the first answer
 * of any kind is left out. The rate is at most that of the successes among the requests planned in the
 * whole window, so that no bad stretch is left out with it.
 */
function achievedRate({ load, measuredMs }: FinishedRun, merged: MergedRecord): number {
  const { plan } = load;
  const windowS = measuredMs / 1000;
  if (windowS <= 0) return 0;
  const isEmptyAtFirst = plan.model === 'open' && plan.warmupMs === 0;
  const emptyS = isEmptyAtFirst ? (merged.firstAnswerAfterNs ?? 0) / 1e9 : 0;
  const rate = merged.okWithinWindow / Math.max(windowS - emptyS, windowS / 2);
  return roundTo3(plan.model === 'open' ? Math.min(rate, merged.ok / windowS) : rate);
}

/** A sentence on the answers that were malformed; usually none. */
function shapeNotes({ checked, errors }: MergedRecord): string[] {
  const malformed = malformedIn(errors);
  if (malformed === 0) return [];
  return [
    `Of ${checked} answers with status 200 whose shape was checked, ${malformed} were no list of estimates. Thresholds on errors count the answers that were not checked in the same proportion. Run check on the target.`,
  ];
}

/** Sentences on how generators counted; usually none. */
function countingNotes(reports: readonly GeneratorReport[]): string[] {
  const unexpected = reports.reduce((sum, { unexpectedBytes = 0 }) => sum + unexpectedBytes, 0);
  if (unexpected === 0) return [];
  const often = unexpected === 1 ? 'once' : `${unexpected} times`;
  return [
    `Bytes that belong to no answer came ${often}, warm-up included: an answer was longer than its head says, or there was one answer too many. The request before them counts as failed (unexpected-bytes), and the connection was ended.`,
  ];
}
