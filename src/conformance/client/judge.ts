import { CLIENT_RULES } from '../../interface/catalogue.ts';
import { matcherOf } from '../suite.ts';
import type { ClockUsed, RuleResult, Verdict } from '../verdict.ts';
import { CLIENT_CHECKS } from './rules/all.ts';
import type { ClientCheck, ClientOutcome, Violation } from './rules/check.ts';
import { judgeNostrRepeats } from './rules/token-fields.ts';
import type { ParsedRequest } from './traffic/parsed-request.ts';
import { type ScenarioFrame, succeeded, type Traffic, trafficOf } from './traffic/traffic.ts';

/** What was observed of a client in one scenario, or while it was listened to. */
export interface ClientRecord {
  readonly frame: ScenarioFrame | null;
  /** Globs over the rules that this could show; a violation counts wherever it is seen. */
  readonly judges: readonly string[];
  readonly exitCode: number | null;
  /** Whether the client could have no token from before. */
  readonly complete: boolean;
  readonly observed: readonly ParsedRequest[];
}

/** How a client came through one scenario. */
export interface ScenarioResult {
  readonly name: string;
  readonly verdict: 'pass' | 'fail' | 'warn' | 'inconclusive';
  readonly exitCode: number | null;
  /** What the client did not do that the scenario needs. */
  readonly missing: readonly string[];
  readonly reason?: string;
  /** For judging it again. */
  readonly record: Omit<ClientRecord, 'observed' | 'exitCode'>;
}

/** A client, judged. */
export interface ClientJudgement {
  readonly rules: readonly RuleResult[];
  readonly scenarios: readonly ScenarioResult[];
}

/** One rule on one record. */
interface Judged {
  readonly record: ClientRecord;
  readonly outcome: ClientOutcome;
}

const TIMED: ReadonlySet<string> = new Set([
  'client/timestamp-fresh',
  'client/expiry-respected',
  'client/expired-refreshed',
  'client/user-token-newest',
]);

const JUDGED: ReadonlySet<Verdict> = new Set(['pass', 'warn', 'fail']);

const SHOWN_EXCHANGES = 12;

/** Judges a client by what was observed of it; pure. */
export function judgeClient(records: readonly ClientRecord[]): ClientJudgement {
  const traffics = records.map((record) => ({ record, traffic: trafficOfRecord(record) }));
  const judged = new Map<string, Judged[]>();
  for (const check of CLIENT_CHECKS) {
    judged.set(
      check.rule,
      traffics.map(({ record, traffic }) => ({ record, outcome: judgeOne(check, traffic) })),
    );
  }
  addRepeatsAcross(traffics, judged);
  return {
    rules: unlessSilent(CLIENT_RULES.map(({ id }) => ruleResult(id, judged.get(id) ?? []))),
    scenarios: traffics.flatMap(({ record, traffic }) => {
      const { frame } = record;
      return frame === null ? [] : [scenarioResult(record, frame, traffic, judged)];
    }),
  };
}

/** Judges one rule; a client that stops short after a stimulus breaks the scenario's own rule. */
export function judgeOne(check: ClientCheck, traffic: Traffic): ClientOutcome {
  const outcome = check.judge(traffic);
  const stopped = traffic.scenario?.goesOnRule === check.rule ? stoppedShort(traffic) : null;
  if (stopped === null) return outcome;
  return { ...outcome, violations: [...outcome.violations, stopped] };
}

export function trafficOfRecord({ observed, frame, complete }: ClientRecord): Traffic {
  return trafficOf(observed, frame, complete);
}

function estimatesShort({ scenario, estimates }: Traffic): boolean {
  return scenario !== null && estimates.length < scenario.atLeast;
}

/** The last stimulus that was given before a client stopped short of its estimates. */
function stoppedShort(traffic: Traffic): Violation | null {
  const { scenario, estimates } = traffic;
  if (scenario === null || !estimatesShort(traffic) || scenario.ended === 'interrupted')
    return null;
  const given = scenario.stimuli.flatMap((stimulus) => stimulus.given ?? []).at(-1);
  const [first] = traffic.tokens;
  const outlived =
    scenario.outlivesToken && first !== undefined && scenario.endedMs >= first.expiresMs
      ? traffic.requests.at(-1)?.id
      : undefined;
  const exchange = given ?? outlived;
  if (exchange === undefined || isHindered(traffic, given ?? null)) return null;
  const how = scenario.ended === 'time-limit' ? 'hung until it was ended' : 'ended';
  return {
    exchange,
    expected: `it goes on, to ${scenario.estimates} estimates`,
    got: `it ${how} after ${estimates.length} of ${scenario.estimates} estimates in scenario ${scenario.name}`,
  };
}

/**
 * Whether the service refused a request that breaks another rule, for which the client may have
 * stopped: that rule is the one to mend then. A refusal that no rule accounts for is none.
 */
function isHindered(traffic: Traffic, since: string | null): boolean {
  const { requests, scenario } = traffic;
  const at = requests.findIndex(({ id }) => id === since);
  const refused = requests
    .slice(at + 1)
    .filter(({ answer, stimuli }) => answer.status !== 200 && answer.whole && stimuli.length === 0)
    .map(({ id }) => id);
  if (refused.length === 0) return false;
  const broken = CLIENT_CHECKS.filter(({ rule }) => rule !== scenario?.goesOnRule).flatMap(
    ({ judge }) => judge(traffic).violations.map(({ exchange }) => exchange),
  );
  return refused.some((id) => broken.includes(id));
}

function addRepeatsAcross(
  traffics: readonly { readonly record: ClientRecord; readonly traffic: Traffic }[],
  judged: Map<string, Judged[]>,
): void {
  const [first] = traffics;
  const own = judged.get('client/nostr-random') ?? [];
  if (first === undefined || traffics.length < 2) return;
  if (own.some(({ outcome }) => outcome.violations.length > 0)) return;
  const all = traffics.flatMap(({ traffic }) => traffic.tokenRequests);
  const outcome = judgeNostrRepeats({ ...first.traffic, tokenRequests: all });
  judged.set('client/nostr-random', [...own, { record: first.record, outcome }]);
}

function ruleResult(id: string, judged: readonly Judged[]): RuleResult {
  const rule = CLIENT_RULES.find((known) => known.id === id)!;
  const { level, statement, section } = rule;
  const clock: ClockUsed = TIMED.has(id) ? 'wall' : null;
  const base = { id, level, statement, section, clock };
  const violations = judged.flatMap(({ outcome }) => outcome.violations);
  const [worst] = violations;
  if (worst !== undefined) {
    const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
    const ids = violations.flatMap(({ exchange, beside = [] }) => [exchange, ...beside]);
    return {
      ...base,
      verdict: level === 'must' ? 'fail' : 'warn',
      reason: worst.got + more,
      expected: worst.expected,
      got: worst.got,
      exchanges: [...new Set(ids)].slice(0, SHOWN_EXCHANGES),
    };
  }
  const held = judged.filter(({ outcome }) => outcome.judged.length > 0);
  const [best] = held;
  if (best !== undefined) {
    const exchanges = held.flatMap(({ outcome }) => outcome.judged.slice(0, 2));
    return {
      ...base,
      verdict: 'pass',
      reason: best.outcome.held,
      exchanges: [...new Set(exchanges)].slice(0, SHOWN_EXCHANGES),
    };
  }
  const meant = judged.filter(
    ({ record }) => record.frame === null || record.judges.some((glob) => matcherOf(glob)(id)),
  );
  if (meant.length === 0) {
    const reason = 'no scenario of this run brings it about';
    return { ...base, verdict: 'excluded', reason, exchanges: [] };
  }
  const missing = meant.map(({ record, outcome }) =>
    record.frame === null ? outcome.missing : `${outcome.missing} (${record.frame.name})`,
  );
  return {
    ...base,
    verdict: meant.every(({ record }) => record.frame === null) ? 'untestable' : 'inconclusive',
    reason: [...new Set(missing)].join('; '),
    exchanges: [],
  };
}

/** A client that was listened to and did nothing that can be judged has not been tried at all. */
function unlessSilent(rules: readonly RuleResult[]): readonly RuleResult[] {
  if (rules.some(({ verdict }) => JUDGED.has(verdict))) return rules;
  return rules.map((rule) =>
    rule.verdict === 'untestable' ? { ...rule, verdict: 'inconclusive' } : rule,
  );
}

function scenarioResult(
  record: ClientRecord,
  frame: ScenarioFrame,
  traffic: Traffic,
  judged: ReadonlyMap<string, readonly Judged[]>,
): ScenarioResult {
  const { judges, complete, exitCode } = record;
  const broken = (level: 'must' | 'should'): string[] =>
    CLIENT_RULES.filter(
      (rule) =>
        rule.level === level &&
        judged
          .get(rule.id)
          ?.some((one) => one.record === record && one.outcome.violations.length > 0),
    ).map(({ id }) => id);
  const missing = missingOf(traffic, frame);
  const base = { name: frame.name, exitCode, record: { frame, judges, complete } };
  const failed = broken('must');
  if (failed.length > 0) {
    return { ...base, verdict: 'fail', missing: [], reason: `breaks ${failed.join(', ')}` };
  }
  const stopped = estimatesShort(traffic) && frame.ended !== 'interrupted';
  if (isSteady(frame) && stopped && traffic.estimates.some(succeeded)) {
    const reason = `it stopped after ${traffic.estimates.length} of ${frame.estimates} estimates`;
    return { ...base, verdict: 'fail', missing: [], reason };
  }
  if (missing.length > 0) return { ...base, verdict: 'inconclusive', missing };
  const warned = broken('should');
  if (warned.length > 0) {
    return { ...base, verdict: 'warn', missing, reason: `breaks ${warned.join(', ')}` };
  }
  return { ...base, verdict: 'pass', missing };
}

const isSteady = ({ stimuli, outlivesToken }: ScenarioFrame): boolean =>
  stimuli.length === 0 && !outlivesToken;

function missingOf(traffic: Traffic, frame: ScenarioFrame): string[] {
  const waiting = frame.stimuli.find(({ given }) => given === null);
  if (waiting !== undefined) return [waiting.waitsFor];
  if (!estimatesShort(traffic)) return [];
  return [`${frame.atLeast - traffic.estimates.length} more of ${frame.estimates} estimates`];
}

/**
 * A verdict over all rules and scenarios. Whoever asks for a certificate wants completeness: what
 * could not be judged, in a rule or in a scenario, is never taken for conformant.
 */
export function overallVerdict({ rules, scenarios }: ClientJudgement): {
  readonly verdict: 'conformant' | 'not-conformant' | 'incomplete';
  readonly complete: boolean;
  readonly summary: Readonly<Record<Verdict, number>>;
} {
  const count = (verdict: Verdict): number =>
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
  const fell = summary.fail > 0 || scenarios.some(({ verdict }) => verdict === 'fail');
  const isOpen = scenarios.some(({ verdict }) => verdict === 'inconclusive');
  const isSilent = !rules.some(({ verdict }) => JUDGED.has(verdict));
  const complete = summary.inconclusive === 0 && summary.untestable === 0 && !isOpen && !isSilent;
  const verdict = fell ? 'not-conformant' : complete ? 'conformant' : 'incomplete';
  return { verdict, complete, summary };
}
