import type { RuleResult, RuleVerdict } from '../../../documents/conformance.ts';
import { CLIENT_RULES } from '../../../interface/catalogue/client.ts';
import { judgeNostrRepeats } from '../rules/token-request.ts';
import type { Traffic } from '../traffic/traffic.ts';
import {
  type ClientRecord,
  checksFor,
  type Orders,
  type RecordOutcome,
  ruleResult,
  trafficOfRecord,
  withOrders,
} from './rule-result.ts';
import { judgeRule, type ScenarioResult, scenarioResult } from './scenario-result.ts';

/** The verdicts on a client. */
export interface JudgedClient {
  readonly verdict: 'conformant' | 'not-conformant' | 'incomplete';
  readonly complete: boolean;
  readonly summary: Readonly<Record<RuleVerdict, number>>;
  readonly rules: readonly RuleResult[];
  readonly scenarios: readonly ScenarioResult[];
  readonly orders: Orders;
}

/** Judges a client by its requests; pure. */
export function judgeClient(records: readonly ClientRecord[], orders: Orders): JudgedClient {
  const traffics = records.map((record) => ({ record, traffic: trafficOfRecord(record) }));
  const outcomes = checksFor(orders).map((check) => {
    const own = traffics.map(({ record, traffic }): RecordOutcome => {
      return { record, outcome: judgeRule(check, traffic) };
    });
    const across = check.rule === 'client/nostr-random' ? repeatsAcross(traffics, own) : [];
    return { rule: check.rule, outcomes: [...own, ...across] };
  });
  const rules = unlessSilent(
    CLIENT_RULES.map((rule) =>
      ruleResult(
        rule,
        outcomes.flatMap((of) => (of.rule === rule.id ? of.outcomes : [])),
      ),
    ),
  ).map((result) => withOrders(result, orders, records));
  const brokenIn = (record: ClientRecord): ReadonlySet<string> =>
    new Set(
      outcomes
        .filter((of) =>
          of.outcomes.some((one) => one.record === record && one.outcome.violations.length > 0),
        )
        .map(({ rule }) => rule),
    );
  const scenarios = traffics.flatMap(
    ({ record, traffic }) => scenarioResult(record, traffic, brokenIn(record)) ?? [],
  );
  return { ...summarise(rules, scenarios), rules, scenarios, orders };
}

/** A nostr may also repeat from one scenario to another. */
function repeatsAcross(
  traffics: readonly { readonly record: ClientRecord; readonly traffic: Traffic }[],
  own: readonly RecordOutcome[],
): RecordOutcome[] {
  const [first] = traffics;
  if (first === undefined || traffics.length < 2) return [];
  if (own.some(({ outcome }) => outcome.violations.length > 0)) return [];
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

/**
 * The overall verdict. A certificate needs completeness: a rule or a scenario that could not be judged
 * never counts as conformant.
 */
function summarise(
  rules: readonly RuleResult[],
  scenarios: readonly ScenarioResult[],
): Pick<JudgedClient, 'verdict' | 'complete' | 'summary'> {
  const count = (verdict: RuleVerdict): number =>
    rules.filter((rule) => rule.verdict === verdict).length;
  const summary = {
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    inconclusive: count('inconclusive'),
    untestable: count('untestable'),
    excluded: count('excluded'),
    waived: count('waived'),
  };
  const hasFailed = summary.fail > 0 || scenarios.some(({ verdict }) => verdict === 'fail');
  const isOpen = scenarios.some(({ verdict }) => verdict === 'inconclusive');
  const isJudged = rules.some(({ verdict }) => JUDGED.has(verdict));
  const complete = summary.inconclusive === 0 && summary.untestable === 0 && !isOpen && isJudged;
  const verdict = hasFailed ? 'not-conformant' : complete ? 'conformant' : 'incomplete';
  return { verdict, complete, summary };
}
