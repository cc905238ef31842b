export type { Allowance } from './allowance.ts';
export {
  type BenchResult,
  type MeasurableStep,
  type MeasuredStep,
  measureSteps,
} from './bench/measure-steps.ts';
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
export { parseDurationMs } from './duration.ts';
export { type FindMaxOptions, type FindMaxResult, findMax } from './find-max/find-max.ts';
export type { Trial } from './find-max/trial.ts';
export type { LoadOptions, LoadProgress } from './load-options.ts';
export type { GeneratorHealth, LoadResult, SeriesPoint } from './load-result.ts';
export { type LoadSuite, type LoadSuiteSettings, loadSuiteSchema } from './load-suite.ts';
export { type Mix, parseMix } from './mix.ts';
export type { Arrivals, LoadEngine, LoadModel } from './plan.ts';
export { parseRoutes } from './route-file.ts';
export type { RouteQuery } from './routes.ts';
export { runLoad } from './run-load.ts';
export { type ServerHealth, type ServerReading, serverHealthBetween } from './server-probe.ts';
export { parseStages, type Stage } from './stages.ts';
export { isLoopback } from './target-address.ts';
export { readThreadUsage, type ThreadUsage } from './thread-usage.ts';
export { parseObjective, parseThreshold, type Threshold } from './threshold.ts';
export { TokenKeeper, takeTokens } from './token-keeper.ts';
export { validateLoad } from './valid-load.ts';
export type { LoadIdentity } from './workload.ts';
