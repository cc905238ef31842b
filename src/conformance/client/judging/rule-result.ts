import type { RuleResult } from '../../../documents/conformance.ts';
import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import type { ScenarioFrame } from '../../../documents/scenario.ts';
import type { CLIENT_RULES } from '../../../interface/catalogue/client.ts';
import type { ClientRuleId } from '../../../interface/catalogue.ts';
import { matcherOf } from '../../suite.ts';
import { CLIENT_CHECKS } from '../rules/all.ts';
import type { CheckOutcome, ClientCheck, Violation } from '../rules/check.ts';

/** The requests of a client in one scenario, or while listening. */
export interface ClientRecord {
  /** Null while listening. */
  readonly frame: ScenarioFrame | null;
  /** Globs over the rules that the scenario is meant to judge; violations count anywhere. */
  readonly judges: readonly string[];
  readonly exitCode: number | null;
  /** True if every token that the client can have is in these requests. */
  readonly complete: boolean;
  /** True for an attempt after which the scenario was run again. */
  readonly isRepeated?: boolean;
  readonly requests: readonly ParsedRequest[];
}

/**
 * Records of a client that is listened to: one, or one for each span of time between two steps of this machine's
 * clock. In each after the first, the client may have tokens from before.
 */
export function listeningRecords(
  requests: readonly ParsedRequest[],
  complete: boolean,
): [ClientRecord, ...ClientRecord[]] {
  const spans: [ParsedRequest[], ...ParsedRequest[][]] = [[]];
  for (const request of requests) {
    if (request.clockStepMs === undefined) spans.at(-1)?.push(request);
    else spans.push([]);
  }
  const [first, ...others] = spans;
  return [listeningRecord(first, complete), ...others.map((one) => listeningRecord(one, false))];
}

/** The record of a client that is listened to. */
export function listeningRecord(
  requests: readonly ParsedRequest[],
  complete: boolean,
): ClientRecord {
  return { frame: null, judges: [], exitCode: null, complete, requests };
}

/** The outcome of a rule on one record. */
export interface RecordOutcome {
  readonly record: ClientRecord;
  readonly outcome: CheckOutcome;
  /** Rule that all violations that were left out follow from. */
  readonly followsFrom?: ClientRuleId;
  /** Rule for which requests were refused, so that nothing could be judged. */
  readonly blockedBy?: ClientRuleId;
}

type Result = Omit<RuleResult, 'id' | 'level' | 'statement' | 'section' | 'clock'>;

/** Rules that depend on the time of a request. */
const TIMED: ReadonlySet<string> = new Set([
  'client/timestamp-fresh',
  'client/expiry-respected',
  'client/expired-refreshed',
  'client/user-token-newest',
]);

const MAX_EXCHANGES = 12;
/** Exchanges of each record that a pass points to. */
const EXCHANGES_OF_PASS = 2;

/**
 * Combines the outcomes of a rule: it fails if one record breaks it, passes if one judged it and none
 * broke it, and is inconclusive otherwise. A warning turns a pass into `warn`.
 */
export function ruleResult(
  { id, level, statement, section }: (typeof CLIENT_RULES)[number],
  outcomes: readonly RecordOutcome[],
): RuleResult {
  const clock: RuleResult['clock'] = TIMED.has(id) ? 'wall' : null;
  const violations = outcomes.flatMap(({ outcome }) => outcome.violations);
  const verdict = level === 'must' ? 'fail' : 'warn';
  const warnings = outcomes.flatMap(({ outcome }) => outcome.warnings ?? []);
  const result =
    broken(violations, verdict) ??
    broken(warnings, 'warn') ??
    following(outcomes) ??
    passed(outcomes) ??
    undecided(id, outcomes);
  return { id, level, statement, section, clock, ...result };
}

function broken(violations: readonly Violation[], verdict: 'fail' | 'warn'): Result | null {
  const [first] = violations;
  if (first === undefined) return null;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  const ids = violations.flatMap(({ exchange, related = [] }) => [exchange, ...related]);
  const { expected, got } = first;
  return { verdict, reason: got + more, expected, exchanges: shown(ids) };
}

/** A rule that was broken by the cause of another violation alone is open. */
function following(outcomes: readonly RecordOutcome[]): Result | null {
  const causes = [...new Set(outcomes.flatMap(({ followsFrom }) => followsFrom ?? []))];
  return causes.length === 0 ? null : openBy(causes);
}

function openBy(causes: readonly (string | undefined)[]): Result {
  return { verdict: 'inconclusive', reason: `follows from ${causes.join(', ')}`, exchanges: [] };
}

function passed(outcomes: readonly RecordOutcome[]): Result | null {
  const judged = outcomes.filter(({ outcome }) => outcome.judged.length > 0);
  const [first] = judged;
  if (first === undefined) return null;
  const ids = judged.flatMap(({ outcome }) => outcome.judged.slice(0, EXCHANGES_OF_PASS));
  return { verdict: 'pass', reason: first.outcome.passed, exchanges: shown(ids) };
}

function undecided(id: string, outcomes: readonly RecordOutcome[]): Result {
  const meant = outcomes.filter(({ record }) => isMeantToJudge(record, id));
  if (meant.length === 0) {
    return { verdict: 'excluded', reason: 'no scenario of this run tests it', exchanges: [] };
  }
  const causes = new Set(meant.map(({ blockedBy }) => blockedBy));
  if (!causes.has(undefined)) return openBy([...causes]);
  const reasons = meant.map(({ record: { frame }, outcome }) =>
    frame === null ? outcome.missing : `${outcome.missing} (${frame.name})`,
  );
  return {
    verdict: meant.every(({ record }) => record.frame === null) ? 'untestable' : 'inconclusive',
    reason: [...new Set(reasons)].join('; '),
    exchanges: [],
  };
}

/** True if a record is meant to judge a rule: while listening, each is. */
export function isMeantToJudge({ frame, judges }: ClientRecord, id: string): boolean {
  return frame === null || judges.some((glob) => matcherOf(glob)(id));
}

function shown(ids: readonly string[]): string[] {
  return [...new Set(ids)].slice(0, MAX_EXCHANGES);
}

/**
 * Declaration of whether the client orders rides for users who have no contact with the service; null
 * if there is none.
 */
export type Orders = 'yes' | 'no' | null;

const ON_BEHALF = 'client/scope-on-behalf';

/** The checks that apply to a client: traffic does not show for whom it orders. */
export function checksFor(orders: Orders): readonly ClientCheck[] {
  return orders === 'yes' ? CLIENT_CHECKS : CLIENT_CHECKS.filter(({ rule }) => rule !== ON_BEHALF);
}

/** Replaces the result of the rule that binds only clients that order rides for users. */
export function withOrders(
  result: RuleResult,
  orders: Orders,
  records: readonly ClientRecord[],
): RuleResult {
  if (result.id !== ON_BEHALF || orders === 'yes') return result;
  if (orders === 'no') {
    const reason = 'the client is declared to order no rides for users';
    return { ...result, verdict: 'excluded', reason };
  }
  if (!records.some((record) => isMeantToJudge(record, ON_BEHALF))) return result;
  return {
    ...result,
    verdict: 'untestable',
    reason: 'it is not declared whether the client orders rides for users',
    remedy: 'set orders to yes if it does, which judges the rule, or to no, which excludes it',
  };
}
