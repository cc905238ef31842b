export { type LoadClock, systemClock } from './clock.ts';
export {
  type BenchComparison,
  type BenchSample,
  compareBenches,
  type StepShift,
} from './compare/compare-benches.ts';
export {
  type Comparison,
  compareRuns,
  type QuantileShift,
  type RunSample,
} from './compare/compare-runs.ts';
export { LEAST_SELF_TEST_RUNS, type SelfTest, selfTest } from './compare/self-test.ts';
export type { ComparisonVerdict } from './compare/shifts.ts';
export { type FindMaxOptions, type FindMaxResult, findMax } from './find-max/find-max.ts';
export type { Trial } from './find-max/trial.ts';
export {
  type BenchResult,
  type MeasurableStep,
  type MeasuredStep,
  measureSteps,
} from './measure-steps.ts';
export type { LoadOptions, LoadProgress } from './options.ts';
export { parseDurationMs } from './plan/duration.ts';
export type { Arrivals, LoadEngine, LoadModel } from './plan/plan.ts';
export { parseStages, type Stage } from './plan/stages.ts';
export { validateLoad } from './plan/valid-load.ts';
export type { SeriesPoint } from './record/series.ts';
export {
  type ServerHealth,
  type ServerReading,
  serverHealthBetween,
} from './record/server-probe.ts';
export { readThreadUsage, type ThreadUsage } from './record/thread-usage.ts';
export type { GeneratorHealth, LoadResult } from './result/load-result.ts';
export { runLoad } from './run-load.ts';
export { type LoadSuite, type LoadSuiteSettings, loadSuiteSchema } from './suite.ts';
export { isLoopback } from './target-address.ts';
export { parseObjective, parseThreshold, type Threshold } from './threshold.ts';
export type { Allowance } from './tokens/allowance.ts';
export { TokenKeeper, takeTokens } from './tokens/keeper.ts';
export { type Mix, parseMix } from './workload/mix.ts';
export type { LoadIdentity } from './workload/requests.ts';
export { parseRoutes } from './workload/route-file.ts';
export type { RouteQuery } from './workload/routes.ts';
