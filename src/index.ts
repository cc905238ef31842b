/**
 * Library for test suites: the reference server, the checker, the load generator and the signature,
 * all in process.
 */
export {
  type Check,
  type CheckContext,
  type CustomRule,
  defineRule,
  type Exchange,
  type Finding,
  type Findings,
  Inconclusive,
  inconclusive,
  type JudgedResult,
  type Judgement,
  type Observation,
  pass,
  type ScenarioProgress,
  type SuiteInput,
  untestable,
  violated,
  type Waiver,
} from './conformance/index.ts';
export type { ComparisonDocument } from './documents/comparison.ts';
export type { ConformanceDocument } from './documents/conformance.ts';
export type { FindMaxDocument } from './documents/find-max.ts';
export type { ForecastDocument } from './documents/forecast.ts';
export type { LoadDocument, LoadSetDocument } from './documents/load.ts';
export type { RuleComparisonDocument } from './documents/rule-comparison.ts';
export { parseDocument, type RunDocument } from './documents/run-document.ts';
export type { StatePlace as LedgerPlace } from './files/state-directory.ts';
export {
  type BehaviourInput,
  ConfigurationError,
  explainSignature,
  FareproofError,
  GAPS,
  type ProfilePartner,
  type ProfilePartnerInput,
  RULES,
  type Rule,
  type RuleId,
  type SignatureExplanation,
  type SignaturePairs,
  type SignatureSettings,
  sign,
  type TargetProfile,
  type TargetProfileInput,
} from './interface/index.ts';
export { type CertifyOptions, certifyClient } from './library/certify-client.ts';
export { type CheckOptions, checkService, planCheck } from './library/check-service.ts';
export { type CompareOptions, compareRuns, type Run } from './library/compare-runs.ts';
export type { Duration } from './library/duration.ts';
export { toHtml, toJUnit, toMarkdown } from './library/render.ts';
export { type LoadOptions, runLoad } from './library/run-load.ts';
export { startServer } from './library/start-server.ts';
export type { Target, TargetOptions } from './library/target.ts';
export type { EndedRun, OutputSample, RunOutput } from './load/index.ts';
export {
  type Clock,
  DEMO_PARTNERS,
  describeProfile,
  type Environment,
  FAULTS,
  type Fault,
  MovableClock,
  type RunningServer,
  type ServerOptions,
  type Timeouts,
  type TlsOptions,
  wallClock,
} from './server/index.ts';
export {
  type Ledger,
  type LedgerChoice,
  type LedgerSource,
  ledgerFile,
  type Since,
} from './spending/index.ts';
