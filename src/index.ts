/**
 * Library for test suites: the reference server, the checker, the load generator and the signature,
 * all in process.
 */
export {
  type Check,
  type CheckContext,
  type CheckServiceInput as CheckServiceOptions,
  type CustomRule,
  checkService,
  defineRule,
  type Exchange,
  type Finding,
  type Findings,
  Inconclusive,
  inconclusive,
  type Judgement,
  type Observation,
  pass,
  type RunClock,
  type ServiceResult,
  untestable,
  violated,
} from './conformance/index.ts';
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
export {
  type LoadOptions,
  type LoadResult,
  type RunContext,
  runLoad,
  systemClock,
} from './load/index.ts';
export { toHtml, toJunit, toMarkdown } from './report/index.ts';
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
  startServer,
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
