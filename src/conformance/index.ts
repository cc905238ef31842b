export {
  type CheckServiceOptions,
  checkService,
  planService,
} from './check-service.ts';
export {
  type Certificate,
  isCertificate,
  issueCertificate,
  verifyCertificate,
} from './client/certificate.ts';
export { type ClientResult, certifyClient } from './client/certify-client.ts';
export { type Judgement as ClientJudgement, Listener } from './client/listener.ts';
export { recheckClient, type StoredCertification } from './client/recheck.ts';
export { Director } from './client/scenario/director.ts';
export type { ClientEnd, RunClient, RunningScenario } from './client/scenario/run-scenario.ts';
export { type Scenario, scenarioSchema } from './client/scenario/scenario.ts';
export { judgeSampleClient } from './client/selfcheck/selfcheck-clients.ts';
export { WRONG_CLIENTS } from './client/selfcheck/wrong-clients.ts';
export { judgeSignature } from './client/signature-finding.ts';
export { type CustomRule, defineRule, isCustomRule } from './custom-rule.ts';
export type { Plan } from './engine/planner.ts';
export type { Target as CheckTarget, TargetPartner } from './engine/target.ts';
export type { Exchange } from './exchange.ts';
export { observedBehaviour, observedSettings } from './gap-behaviour.ts';
export { type Ledger, openLedger } from './ledger.ts';
export { type Progress, resumeProgress, startProgress } from './progress.ts';
export { recheckService } from './recheck.ts';
export type { Check, CheckContext, Finding, Findings, Observation } from './service/check.ts';
export type { ServiceResult } from './service-result.ts';
export { FULL_SUITE, matcherOf, type Suite, suiteSchema } from './suite.ts';
export { openTokenJournal, type TokenJournal } from './token-journal.ts';
export {
  inconclusive,
  type Judgement,
  pass,
  type RuleResult,
  untestable,
  violated,
} from './verdict.ts';
export {
  applyWaivers,
  isPast,
  type Waiver,
  waiversSchema,
} from './waivers.ts';
