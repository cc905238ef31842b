export { type AgentObserver, serveAsAgent } from './agents/agent.ts';
export { channelToChild, channelToParent } from './agents/ipc.ts';
export type { AgentFacts } from './agents/message.ts';
export { Broker, type BrokerCredentials } from './agents/nats/broker.ts';
export { type BrokerAddress, readBrokerAddress } from './agents/nats/broker-address.ts';
export { JoinDesk, joinController } from './agents/nats/join.ts';
export { requireAgentName } from './agents/nats/subjects.ts';
export { AgentPool, type PoolSettings } from './agents/pool.ts';
export { joinedOver } from './agents/remote-agent.ts';
export { type LoadClock, systemClock } from './clock.ts';
export {
  type BenchComparison,
  type BenchSample,
  compareBenches,
} from './compare/compare-benches.ts';
export {
  type ComparisonSettings,
  compareDocuments,
  LEAST_SELF_TEST_RUNS,
  type SelfTest,
  selfTest,
  selfTestDocument,
} from './compare/compare-documents.ts';
export { type Comparison, compareRuns, type RunSample } from './compare/compare-runs.ts';
export { historyDocument } from './compare/history.ts';
export { planOf } from './compare/notes.ts';
export { type PairedLoads, type PairsDocument, runPairs } from './compare/pairs.ts';
export {
  type ComparedSides,
  type NamedBench,
  type NamedDocument,
  type NamedRun,
  runsOf,
  sidesOf,
} from './compare/sides.ts';
export { readToolFigures } from './compare/tool-figures.ts';
export { isUsable } from './compare/usable.ts';
export type { GeneratorUpdate } from './engine/engine.ts';
export { type FindMaxResult, findMax } from './find-max/find-max.ts';
export type { LoadPart } from './load-part.ts';
export { type BenchResult, type MeasurableStep, measureSteps } from './measure-steps.ts';
export { mergeDocuments } from './merge-documents.ts';
export { type LoadSuite, loadSuiteSchema, readFlags } from './option-schema.ts';
export type { LoadFlags, LoadOptions } from './options.ts';
export { EXPORTS, type ExportFormat, readExports } from './outputs/exports.ts';
export { figuresSoFar } from './outputs/figures.ts';
export { MEASURES } from './outputs/measures.ts';
export { OtlpExport, readCollectorAddress } from './outputs/otlp/export.ts';
export {
  type AllOutputs,
  allOutputs,
  type EndedRun,
  type LoadOutput,
  type LoadProgress,
  type OutputSample,
  type RunOutput,
} from './outputs/output.ts';
export { prometheusMetrics } from './outputs/prometheus.ts';
export { requirePermission } from './permission.ts';
export { parseStages, stageStartsMs } from './plan.ts';
export { type PlannedLoad, planLoad, withOutput } from './plan-load.ts';
export { addRecords } from './record/merge.ts';
export type { RecordSoFar } from './record/recorder.ts';
export type { RunRecords } from './record/run-records.ts';
export {
  readThreadUsage,
  type ServerReading,
  serverHealthBetween,
  type ThreadUsage,
} from './record/usage.ts';
export type { LoadResult } from './result/build.ts';
export { type SpreadRun, spreadOf } from './result/spread.ts';
export type { RunContext } from './run-context.ts';
export { RunSeries, runLoad, runSet } from './run-load.ts';
export { parseObjective, parseThreshold, type Threshold } from './threshold.ts';
export { type Mix, parseMix } from './workload/requests.ts';
export { parseRoutes } from './workload/route-file.ts';
export type { RouteQuery } from './workload/routes.ts';
