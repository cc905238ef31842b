import type { RuleResult, RuleVerdict } from '../../../documents/conformance.ts';
import { CLIENT_RULES } from '../../../interface/catalogue/client.ts';
import { type RunVerdict, runVerdict } from '../../verdict.ts';
import { judgeNostrRepeats } from '../rules/token-request.ts';
import { type Traffic, trafficOf } from '../traffic/traffic.ts';
import {
  type ClientRecord,
  checksFor,
  type Orders,
  type RecordOutcome,
  ruleResult,
  withOrders,
} from './rule-result.ts';
import { judgeRule, type ScenarioResult, scenarioResult } from './scenario-result.ts';

/** The verdicts on a client. */
export interface JudgedClient extends RunVerdict {
  readonly rules: readonly RuleResult[];
  readonly scenarios: readonly ScenarioResult[];
  readonly orders: Orders;
}

/** Judges a client by its requests; pure. */
export function judgeClient(records: readonly ClientRecord[], orders: Orders): JudgedClient {
  const traffics = records.map((record) => {
    const { requests, frame, complete } = record;
    return { record, traffic: trafficOf(requests, frame, complete) };
  });
  const outcomes = new Map<string, readonly RecordOutcome[]>();
  for (const check of checksFor(orders)) {
    const own = traffics.map(({ record, traffic }): RecordOutcome => {
      return { record, outcome: judgeRule(check, traffic) };
    });
    const across = check.rule === 'client/nostr-random' ? repeatsAcross(traffics, own) : [];
    outcomes.set(check.rule, [...own, ...across]);
  }
  const rules = unlessSilent(
    CLIENT_RULES.map((rule) => ruleResult(rule, outcomes.get(rule.id) ?? [])),
  ).map((result) => withOrders(result, orders, records));
  const scenarios = traffics.flatMap(({ record, traffic }) => {
    const isBroken = (one: RecordOutcome): boolean => one.record === record && breaks(one);
    const broken = CLIENT_RULES.filter(({ id }) => outcomes.get(id)?.some(isBroken));
    return scenarioResult(record, traffic, broken) ?? [];
  });
  return { ...overallVerdict(rules, scenarios), rules, scenarios, orders };
}

const breaks = ({ outcome }: RecordOutcome): boolean => outcome.violations.length > 0;

/** A nostr may also repeat from one scenario to another. */
function repeatsAcross(
  traffics: readonly { readonly record: ClientRecord; readonly traffic: Traffic }[],
  own: readonly RecordOutcome[],
): RecordOutcome[] {
  const [first] = traffics;
  if (first === undefined || traffics.length < 2 || own.some(breaks)) return [];
  const tokenRequests = traffics.flatMap(({ traffic }) => traffic.tokenRequests);
  return [{ record: first.record, outcome: judgeNostrRepeats({ tokenRequests }) }];
}

const JUDGED: ReadonlySet<RuleVerdict> = new Set(['pass', 'warn', 'fail']);

/** While listening a rule may be untestable; if nothing could be judged, all are inconclusive. */
function unlessSilent(rules: readonly RuleResult[]): readonly RuleResult[] {
  if (rules.some(({ verdict }) => JUDGED.has(verdict))) return rules;
  return rules.map((rule) =>
    rule.verdict === 'untestable' ? { ...rule, verdict: 'inconclusive' } : rule,
  );
}

/** A certificate needs completeness: what could not be judged never counts as conformant. */
function overallVerdict(
  rules: readonly RuleResult[],
  scenarios: readonly ScenarioResult[],
): RunVerdict {
  const ofRules = runVerdict(rules, true);
  const isOpen = scenarios.some(({ verdict }) => verdict === 'inconclusive');
  const isJudged = rules.some(({ verdict }) => JUDGED.has(verdict));
  const hasFailed =
    ofRules.verdict === 'not-conformant' || scenarios.some(({ verdict }) => verdict === 'fail');
  const complete = ofRules.complete && !isOpen && isJudged;
  const verdict = hasFailed ? 'not-conformant' : complete ? 'conformant' : 'incomplete';
  return { verdict, complete, summary: ofRules.summary };
}
