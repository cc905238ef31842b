export type { Exchange } from '../documents/exchange.ts';
export {
  type Certificate,
  certificateFacts,
  certificationProblems,
  certifiedDocument,
  issueCertificate,
  keyFingerprint,
  parseCertificate,
  scopeOf,
  scopeWords,
  verifyCertificate,
} from './client/certificate.ts';
export {
  type Certification,
  certifyClient,
  type ScenarioProgress,
} from './client/certify-client.ts';
export { type DelayAt, ExchangeCapture } from './client/evidence/exchange-capture.ts';
export { StallWatch } from './client/evidence/stall-watch.ts';
export {
  type ClientResult,
  recheckClient,
  scenariosShowing,
} from './client/judging/judge-client.ts';
export type { Orders } from './client/judging/rule-result.ts';
export type { BrokenRule } from './client/listener.ts';
export type { JudgedRequest } from './client/listening/listeners.ts';
export { ListeningThread, type RemoteListener } from './client/listening/listening-thread.ts';
export { meteredRequest } from './client/parsing/metered-request.ts';
export type { ClientEnd, RunClient, RunningScenario } from './client/scenario/run-scenario.ts';
export { type Scenario, scenarioSchema } from './client/scenario/scenario.ts';
export { judgeSampleClient } from './client/selfcheck/judge-sample.ts';
export { WRONG_CLIENTS } from './client/selfcheck/wrong-clients.ts';
export type { CapturedExchange } from './client/traffic/captured.ts';
export { compareRuns } from './compare-runs.ts';
export { SeededRandom } from './seeded-random.ts';
export { spendsOfProfile } from './service/budget/budgets.ts';
export type { ServiceResult } from './service/build-result.ts';
export { checkService, maxRateOf, replayCase } from './service/check-service.ts';
export type { Check, CheckContext, Finding, Findings } from './service/contract/check.ts';
export { Inconclusive } from './service/contract/judge.ts';
export type { Observation } from './service/contract/observation.ts';
export type { Target as CheckTarget, TargetPartner } from './service/contract/target.ts';
export { type CustomRule, defineRule, readCustomRules } from './service/custom-rule.ts';
export type { CaseResult } from './service/explore/replay-case.ts';
export { type Forecast, forecastService } from './service/forecast.ts';
export { observedBehaviour, observedSettings } from './service/gaps/behaviour.ts';
export { acceptsConnection } from './service/http/accepts-connection.ts';
export {
  type GivenAnswer,
  inProcess,
  type ReceivedRequest,
} from './service/http/in-process.ts';
export type { CheckServiceOptions, JudgedResult } from './service/options.ts';
export { recheckService } from './service/recheck/recheck.ts';
export { exchangeToReplay } from './service/replay/decisive.ts';
export { replayExchange, replayObstacle } from './service/replay/replay.ts';
export { openTokenJournal, ResumableRun } from './service/resume/resumable-run.ts';
export { resumeRunLog, startRunLog } from './service/resume/run-log.ts';
export { rulesBehind } from './service/rules/all.ts';
export { MACHINE_CLOCK, movingClock, type RunClock } from './service/run-clock.ts';
export { asksForBans } from './service/runner/prerequisites.ts';
export { UnreachableTarget } from './service/unreachable-target.ts';
export { readTarget } from './service/wire/read-target.ts';
export { World } from './service/world.ts';
export { WorldClock } from './service/world-clock.ts';
export { ALL_FIELDS } from './signature/signing-context.ts';
export { type SteadyClock, steadyClock } from './steady-clock.ts';
export {
  FULL_SUITE,
  matcherOf,
  readSuite,
  type Suite,
  type SuiteInput,
  suiteSchema,
} from './suite.ts';
export { inconclusive, type Judgement, pass, untestable, violated } from './verdict.ts';
export { applyWaivers, isExpired, type Waiver, waiversSchema } from './waivers.ts';
