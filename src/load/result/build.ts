import type {
  GeneratorHealth,
  LoadDocument,
  SeriesPoint,
  ServerHealth,
} from '../../documents/load.ts';
import type { Redactor } from '../../redaction/index.ts';
import type { AgentPart } from '../agents/agent-progress.ts';
import type { GeneratorReport } from '../engine/engine.ts';
import type { MeasuredGenerators } from '../measured-generators.ts';
import { type LoadPlan, measuredStages, totalRequests } from '../plan.ts';
import type { JudgedLoad } from '../plan-load.ts';
import { redactSample } from '../record/fault-sample.ts';
import { roundTo3 } from '../record/histogram.ts';
import { highestOf, type MergedRecord, mergeRecords, sumOf } from '../record/merge.ts';
import { allOf, latencySummaries, mergeParts, type PartData } from '../record/parts.ts';
import { SHAPE_FAULTS } from '../record/recorder.ts';
import { placeOf } from '../target-address.ts';
import type { Observation } from '../threshold.ts';
import { agentReasons, agentResults } from './agents.ts';
import { adviceOn, findFaults } from './health.ts';
import { malformedIn, observePart, partResults } from './parts.ts';
import { exhaustionReasons, unreachableReason } from './reached.ts';
import { type EndedBy, endedEarly, judgeLoad } from './verdict.ts';

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
  abortedOn: EndedBy | null;
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
  const { seesSendLag } = engine.can;
  const { model } = plan;
  const generators: MeasuredGenerators = {
    ...run,
    plan,
    place: placeOf(baseUrl, context.probeServer !== undefined),
    seesSendLag,
  };
  const achieved = {
    rate,
    planned,
    sent,
    ok,
    failed,
    checked,
    ...(engine.can.reconnects && { reconnected: merged.reconnected }),
  };
  const agents = run.agents && agentResults({ plan, parts: run.agents, reports, measuredMs });
  const all = { ratePerS: rate, parts: merged.parts };
  const { reasons, ...judged } = judgeLoad(load.thresholds, observe(load, all), {
    model,
    faults: (context.findFaults ?? findFaults)(generators),
    adviceOn: (faults) => adviceOn(faults, generators),
    losses: agentReasons(agents ?? []),
    exhausted: exhaustionReasons(errors),
    withoutStalls: observeWithoutStalls(load, all),
    planned,
    ok,
    abortedOn,
    unreachable: run.unreachable ?? unreachableReason({ baseUrl, planned, sent, errors }),
    interrupted: context.signal?.aborted === true,
  });
  const notes = [
    ...run.notes,
    ...(abortedOn && judged.verdict === 'invalid' ? [endedEarly(abortedOn)] : []),
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
    generator: healthOf(generators, merged, reasons),
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

/** Requests of a run, and the successes per second among them. */
interface Observed {
  readonly ratePerS: number;
  readonly parts: readonly PartData[];
}

function observe(load: JudgedLoad, { ratePerS, parts }: Observed): Observation {
  return {
    ...observePart(load, parts, {}),
    ratePerS,
    part: (part) => observePart(load, parts, part),
  };
}

/** The run as if all requests had fared as those that no stall delayed; null for a run without stalls. */
function observeWithoutStalls(load: JudgedLoad, { ratePerS, parts }: Observed): Observation | null {
  const others = parts.filter(({ stalled }) => !stalled);
  if (others.length === parts.length) return null;
  const successShare = (of: readonly PartData[]): number => {
    const { ok, failed } = mergeParts(of);
    return ok / (ok + failed);
  };
  const ratio = successShare(others) / successShare(parts);
  return observe(load, { ratePerS: ratePerS * ratio, parts: others });
}

/** Health of the generators for the document. */
function healthOf(
  { reports, seesSendLag }: MeasuredGenerators,
  merged: MergedRecord,
  reasons: readonly string[],
): GeneratorHealth {
  const { p50, p90, p99, max } = merged.sendLag.summary();
  const usages = reports.map(({ usage }) => usage);
  const stoodStillMs = Math.max(0, ...usages.map((usage) => usage.stoodStillMs));
  return {
    workers: reports.length,
    cpu: sumOf(usages.map(({ cpu }) => cpu)),
    coreWait: highestOf(usages.map(({ coreWait }) => coreWait)),
    eventLoopUtilization: highestOf(usages.map((usage) => usage.eventLoopUtilization)) ?? 0,
    sendLagUs: seesSendLag ? { p50, p90, p99, max } : null,
    ...(stoodStillMs > 0 && { stoodStillS: roundTo3(stoodStillMs / 1000) }),
    saturated: reasons.length > 0,
    reasons: [...reasons],
  };
}

/** The second of an engine that does not tell when it sends: 0 would say that it sent nothing. */
function withoutSent(point: SeriesPoint): SeriesPoint {
  const { sent: _, ready: _ready, ...known } = point;
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
 * While a generator of the closed model stands still it makes no load, so that time is left out.
 *
 * Without a warm-up nothing is in flight when the open model starts; the time until the first answer
 * of any kind is left out. The rate is at most that of the successes among the requests planned in the
 * whole window, so that no bad stretch is left out with it.
 */
function achievedRate({ load, measuredMs, reports }: FinishedRun, merged: MergedRecord): number {
  const { plan } = load;
  const lostMs = Math.max(0, ...reports.map(({ usage }) => usage.lostMs));
  const windowS = (plan.model === 'open' ? measuredMs : measuredMs - lostMs) / 1000;
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
    `Of ${checked} responses with status 200 whose shape was checked, ${malformed} were no list of estimates. Thresholds on errors count the responses that were not checked in the same proportion. Run check on the target.`,
  ];
}

/** Sentences on how generators counted; usually none. */
function countingNotes(reports: readonly GeneratorReport[]): string[] {
  const unexpected = reports.reduce((sum, { unexpectedBytes = 0 }) => sum + unexpectedBytes, 0);
  if (unexpected === 0) return [];
  const often = unexpected === 1 ? 'once' : `${unexpected} times`;
  return [
    `Bytes that belong to no response came ${often}, warm-up included: a response was longer than its head says, or there was one too many. The request before them counts as failed (unexpected-bytes), and the connection was ended.`,
  ];
}
