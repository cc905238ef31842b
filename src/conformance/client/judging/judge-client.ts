import type { ConformanceDocument, RuleResult } from '../../../documents/conformance.ts';
import type { RuleVerdict } from '../../../documents/rule-verdict.ts';
import { CLIENT_RULES } from '../../../interface/catalogue/client.ts';
import type { ClientRuleId } from '../../../interface/catalogue.ts';
import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../interface/limits.ts';
import { type RunVerdict, runVerdict } from '../../verdict.ts';
import type { ParsedExchange } from '../evidence/exchange-record.ts';
import { CLIENT_CHECKS } from '../rules/all.ts';
import { groupBy } from '../rules/check.ts';
import { judgeNostrRepeats } from '../rules/token-request.ts';
import { allowanceOf } from '../traffic/request-fields.ts';
import {
  clockSetsOf,
  type Traffic,
  type TrafficFrame,
  tokensInTurn,
  trafficOf,
} from '../traffic/traffic.ts';
import { withoutConsequences } from './causes.ts';
import { unlessHeldUp, withOneExcused } from './chance.ts';
import {
  type ClientRecord,
  checksFor,
  isMeantToJudge,
  listeningRecords,
  type Orders,
  type RecordOutcome,
  ruleResult,
  withOrders,
} from './rule-result.ts';
import { type JudgedScenario, judgeRule, scenarioResult, type Unshown } from './scenario-result.ts';
import { reusesAuthCode, unexplainedRefusals } from './unexplained-refusal.ts';

/** The verdicts on a client. */
export interface JudgedClient extends RunVerdict {
  readonly rules: readonly RuleResult[];
  readonly scenarios: readonly JudgedScenario[];
  readonly orders: Orders;
}

/** Judges a client by its requests; pure. */
export function judgeClient(records: readonly ClientRecord[], orders: Orders): JudgedClient {
  const pools = records.flatMap((record) => tokensInTurn(trafficIn(record)) ?? []);
  const poolSize = pools.length === 0 ? ALLOWANCE_PER_DAY.platform : Math.max(...pools);
  const clockSetsMs = clockSetsOf(records.flatMap(({ requests }) => requests));
  const traffics = records.map((record) => ({
    record,
    traffic: trafficIn(record, { poolSize, clockSetsMs }),
  }));
  const found = new Map<string, readonly RecordOutcome[]>();
  for (const check of checksFor(orders)) {
    const own = traffics.map(({ record, traffic }): RecordOutcome => {
      return unlessHeldUp({ record, outcome: judgeRule(check, traffic, record.isRepeated) });
    });
    const across = check.rule === 'client/nostr-random' ? repeatsAcross(traffics, own) : [];
    found.set(check.rule, [...own, ...across]);
  }
  const outcomes = withoutConsequences(withOneExcused(found));
  const rules = unlessSilent(
    CLIENT_RULES.map((rule) => ruleResult(rule, outcomes.get(rule.id) ?? [])),
  ).map((result) => withOrders(result, orders, records));
  const scenarios = traffics.flatMap(({ record, traffic }) => {
    if (record.isRepeated) return [];
    const earlier = records.filter(
      (one) => one.isRepeated && one.frame?.name === record.frame?.name,
    );
    const isBroken = (one: RecordOutcome): boolean =>
      breaks(one) && [record, ...earlier].includes(one.record);
    const brokenRules = CLIENT_RULES.filter(({ id }) => outcomes.get(id)?.some(isBroken));
    const violations = [...outcomes.values()]
      .flat()
      .filter(isBroken)
      .flatMap(({ outcome }) => outcome.violations);
    const exchanges = new Set(violations.map(({ exchange }) => exchange));
    const unshown = CLIENT_RULES.flatMap(({ id }) => missingFor(id, record, outcomes) ?? []);
    const shown = { rules: brokenRules, exchanges, unshown };
    return scenarioResult(record, traffic, shown, earlier) ?? [];
  });
  return { ...overallVerdict(rules, scenarios), rules, scenarios, orders };
}

/** Traffic of a record; none where a clock was set meanwhile. */
function trafficIn(record: ClientRecord, of: TrafficFrame = {}): Traffic {
  const { requests, frame, complete } = record;
  if (frame?.clockStepMs !== undefined) return trafficOf([], null, complete, of);
  return trafficOf(requests, frame, complete, of);
}

const breaks = ({ outcome }: RecordOutcome): boolean => outcome.violations.length > 0;

/** Finds what a scenario lacks to judge a rule that it is meant to judge; null if nothing. */
function missingFor(
  id: ClientRuleId,
  record: ClientRecord,
  outcomes: ReadonlyMap<string, readonly RecordOutcome[]>,
): Unshown | null {
  const own = (outcomes.get(id) ?? []).filter((one) => one.record === record);
  const isShown = own.some(
    ({ outcome: { violations, warnings = [], judged } }) =>
      violations.length + warnings.length + judged.length > 0,
  );
  const [first] = own;
  if (first === undefined || isShown || !isMeantToJudge(record, id)) return null;
  return { rule: id, missing: first.outcome.missing };
}

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
  scenarios: readonly JudgedScenario[],
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

/** The run document of a client, without what only the command line knows. */
export interface ClientResult
  extends Omit<ConformanceDocument, 'schemaVersion' | 'tool' | keyof JudgedClient>,
    JudgedClient {
  readonly side: 'client';
  readonly exchanges: readonly ParsedExchange[];
  readonly notes: readonly string[];
}

/** The fields of a result that do not follow from the records. */
export type RunFacts = Pick<
  ClientResult,
  'target' | 'suite' | 'seed' | 'startedAt' | 'finishedAt' | 'exchanges' | 'notes'
>;

/** Judges a client by its records; pure. */
export function clientResult(
  records: readonly ClientRecord[],
  orders: Orders,
  facts: RunFacts,
): ClientResult {
  const { exchanges, notes, ...run } = facts;
  const { rules, scenarios, ...verdict } = judgeClient(records, orders);
  const spend = spendOf(records);
  const allNotes = [...notes, ...probeNotes(records), ...notExercisedNotes(scenarios)];
  const judged = { ...verdict, rules, gaps: [], spend, exchanges, scenarios, notes: allNotes };
  return { kind: 'conformance', side: 'client', ...run, ...judged };
}

/** Names the requests that no rule is about. */
function probeNotes(records: readonly ClientRecord[]): string[] {
  const probes = records.flatMap(({ requests }) => requests).filter(({ kind }) => kind === 'probe');
  const byName = groupBy(probes, ({ method, path }) => `${method} ${path}`);
  const names = Array.from(byName, ([name, requests]) => `${name} (${requests.length})`);
  return names.length === 0
    ? []
    : [`Left out of the judgement, as outside the interface: ${names.join(', ')}.`];
}

const REMEDIES: Readonly<Record<string, string>> = {
  texts:
    'let the client send FAREPROOF_FROM_NAME, FAREPROOF_TO_NAME and FAREPROOF_IMEI, where they are set, as from_name, to_name and imei',
  'time zone': 'install the data of time zones on this machine',
  locale: 'install the locale de_DE.UTF-8 on this machine',
  refreshes:
    'the client replaces its tokens by new ones in time, so that no refresh could be answered',
};

function notExercisedNotes(scenarios: readonly JudgedScenario[]): string[] {
  const all = new Set(scenarios.flatMap(({ notExercised = [] }) => notExercised));
  return Array.from(all, (what) => `Not exercised: ${what}; ${REMEDIES[what] ?? ''}.`);
}

function spendOf(records: readonly ClientRecord[]): ClientResult['spend'] {
  const spend: Record<string, Record<AllowanceKind, number>> = {};
  for (const request of records.flatMap(({ requests }) => requests)) {
    const { partnerId } = request.authorization;
    const kind = request.kind === 'token' ? allowanceOf(request) : null;
    if (kind === null || partnerId === null || request.sender !== 'client') continue;
    spend[partnerId] ??= { platform: 0, user: 0, refresh: 0 };
    spend[partnerId][kind]++;
  }
  return spend;
}

/** The parts of a stored run document by which a client can be judged again. */
export type StoredCertification = Pick<ConformanceDocument, 'exchanges' | 'scenarios' | 'orders'>;

/**
 * Judges stored exchanges again, without sending anything. Signature diagnoses are taken from the
 * document: the signing keys are not stored.
 *
 * @returns null if the document lacks the parsed requests
 */
export function recheckClient(stored: StoredCertification): JudgedClient | null {
  const records = recordsOf(stored);
  return records && judgeClient(records, stored.orders ?? null);
}

/**
 * Names of the scenarios that show that a rule is broken: one that does so by itself, or else all that have
 * a part in it.
 */
export function scenariosShowing(
  stored: StoredCertification,
  { id, verdict, exchanges: shown }: Pick<RuleResult, 'id' | 'verdict' | 'exchanges'>,
): string[] {
  const { exchanges, scenarios = [], orders } = stored;
  const scenarioOf = ({ observed }: (typeof exchanges)[number]) => observed?.scenario ?? null;
  const names = shown.flatMap((one) => {
    const exchange = exchanges.find((other) => other.id === one);
    return (exchange && scenarioOf(exchange)) ?? [];
  });
  const alone = names.find((name) => {
    const own = exchanges.filter((exchange) => scenarioOf(exchange) === name);
    const ofOne = scenarios.filter((one) => one.name === name);
    const judged = recheckClient({ exchanges: own, scenarios: ofOne, orders });
    return judged?.rules.some((rule) => rule.id === id && rule.verdict === verdict);
  });
  return alone === undefined ? [...new Set(names)] : [alone];
}

/**
 * Requests that the reference server refused although the checker finds no fault with them, no
 * stimulus caused it and no gap, in words.
 */
export function differencesFromServer(stored: StoredCertification): string[] {
  const records = recordsOf(stored) ?? [];
  const clockSetsMs = clockSetsOf(records.flatMap(({ requests }) => requests));
  return records.flatMap((record) => {
    // The server counts the requests of all processes, which none of them can know.
    const frame = record.frame && { ...record.frame, processes: 1, runs: 1 };
    const traffic = trafficIn({ ...record, frame }, { clockSetsMs });
    const broken = CLIENT_CHECKS.flatMap((check) => judgeRule(check, traffic).violations);
    const ids = new Set(broken.flatMap(({ exchange, related = [] }) => [exchange, ...related]));
    return unexplainedRefusals(traffic, ids)
      .filter((request) => !reusesAuthCode(traffic, request))
      .map(({ id, kind, answer }) => {
        const where = frame === null ? '' : ` in ${frame.name}`;
        return `the ${kind} request ${id}${where}: ${answer.status} ${answer.refusal ?? ''}`;
      });
  });
}

function recordsOf(stored: StoredCertification): ClientRecord[] | null {
  const requests = stored.exchanges.flatMap(({ observed }) => observed ?? []);
  if (requests.length < stored.exchanges.length) return null;
  const { scenarios = [] } = stored;
  if (scenarios.length === 0) return listeningRecords(requests, false);
  return scenarios.flatMap(({ name, record, exitCode, earlier = [] }) =>
    [...earlier, { record, exitCode }].map((one, at) => ({
      ...one.record,
      exitCode: one.exitCode,
      isRepeated: at < earlier.length,
      requests: requests.filter(({ scenario, attempt = 1 }) => {
        return scenario === name && attempt === (one.record.frame.attempt ?? 1);
      }),
    })),
  );
}
