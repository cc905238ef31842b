import { compareRuns } from '../../../src/conformance/compare-runs.ts';
import type {
  ConformanceDocument,
  ConformanceSummary,
  RuleResult,
} from '../../../src/documents/conformance.ts';
import type { Exchange } from '../../../src/documents/exchange.ts';
import { ruleChanges } from '../../../src/documents/rule-changes.ts';
import type { RuleComparisonDocument } from '../../../src/documents/rule-comparison.ts';
import type { RuleVerdict } from '../../../src/documents/rule-verdict.ts';
import type { ScenarioResult } from '../../../src/documents/scenario.ts';
import {
  areaOf,
  CLIENT_RULES,
  GAPS,
  type Rule,
  SERVICE_RULES,
} from '../../../src/interface/index.ts';

const AT = Date.parse('2025-11-20T10:27:00.000Z');

const VERDICTS: Readonly<Record<string, RuleVerdict>> = {
  'signature/zero-kept': 'fail',
  'token/scope-echo': 'fail',
  'record/echoes-request': 'warn',
  'lifecycle/refresh-single-use-concurrent': 'inconclusive',
  'quota/ban-lasts-24h': 'untestable',
  'quota/ban-lifts': 'untestable',
  'lock/partner-60-minutes': 'untestable',
  'token/timestamp-unchecked-in-test': 'excluded',
  'carpool/seats-distinct': 'waived',
  'client/nostr': 'fail',
  'client/token-reused': 'warn',
  'client/expiry-respected': 'inconclusive',
};

/** A whole run on a service: every rule, one of each verdict, three exchanges a rule. */
export function serviceSample(changes: Partial<ConformanceDocument> = {}): ConformanceDocument {
  const exchanges = SERVICE_RULES.flatMap((rule, at) => [
    tokenExchange(`x${at * 3 + 1}`, at, 'baseline: a correctly signed platform request'),
    tokenExchange(`x${at * 3 + 2}`, at, `the request of ${rule.id}`),
    estimateExchange(`x${at * 3 + 3}`, at),
  ]);
  const rules = SERVICE_RULES.map((rule, at) =>
    resultOf(
      rule,
      [1, 2, 3].map((n) => `x${at * 3 + n}`),
    ),
  );
  return {
    schemaVersion: 1,
    kind: 'conformance',
    tool: { name: 'fareproof', version: '0.1.0' },
    startedAt: new Date(AT).toISOString(),
    finishedAt: new Date(AT + 1900).toISOString(),
    side: 'service',
    target: {
      name: 'staging',
      baseUrl: 'https://rides.example.test/api',
      environment: 'production',
    },
    suite: 'full',
    seed: 7,
    verdict: 'not-conformant',
    complete: false,
    summary: summaryOf(rules),
    rules,
    gaps: GAPS.map(({ id, question }, at) => ({
      id,
      question,
      observed:
        at % 4 === 0
          ? null
          : { value: { banned: 403 }, words: 'field-missing 400, banned 403', exchanges: ['x1'] },
    })),
    spend: {
      'p-100': { platform: 7, user: 2, refresh: 3 },
      'p-200': { platform: 11, user: 5, refresh: 10 },
    },
    exchanges,
    waivers: [
      { rule: 'carpool/seats-distinct', reason: 'fixed in release 14', until: '2026-01-31' },
      {
        rule: 'record/pay-type',
        reason: 'known',
        until: '2026-01-31',
        problem: 'the rule passes: this waiver can go',
      },
    ],
    ...changes,
  };
}

/** A certification of a client. */
export function clientSample(changes: Partial<ConformanceDocument> = {}): ConformanceDocument {
  const rules = CLIENT_RULES.map((rule) => resultOf(rule, ['x1', 'x2']));
  return {
    ...serviceSample(),
    side: 'client',
    target: {
      name: 'node client.js',
      baseUrl: 'http://127.0.0.1:40123',
      environment: 'production',
    },
    suite: 'certification',
    rules,
    summary: summaryOf(rules),
    exchanges: [tokenExchange('x1', 1, 'token request of the client'), estimateExchange('x2', 1)],
    waivers: [],
    scenarios: [
      scenarioOf('plain', 'pass', 0),
      scenarioOf('token-expires', 'fail', 0),
      scenarioOf('lost-answer', 'inconclusive', 1, ['an estimate after the lost answer']),
    ],
    ...changes,
  };
}

function scenarioOf(
  name: string,
  verdict: string,
  exitCode: number,
  missing: string[] = [],
): ScenarioResult {
  const frame = {
    name,
    mode: 'platform',
    estimates: 6,
    atLeast: 3,
    stimuli: [],
    ended: 'by-itself',
    endedMs: AT,
    goesOnRule: null,
    mayOutlast: false,
  } as const;
  const record = { frame, judges: ['client/*'], complete: true };
  return { name, verdict, exitCode, missing, record };
}

/** A whole run on a service after an earlier one: some rules were fixed, some are newly broken. */
export function laterSample(changes: Partial<ConformanceDocument> = {}): ConformanceDocument {
  const later: Readonly<Record<string, RuleVerdict>> = {
    'signature/zero-kept': 'pass',
    'record/pay-type': 'fail',
    'record/currency-code': 'warn',
    'estimate/platform': 'inconclusive',
  };
  const whole = serviceSample();
  const rules = whole.rules.map((rule) => {
    const verdict = later[rule.id];
    return verdict === undefined ? rule : { ...rule, verdict, reason: `now it is ${verdict}` };
  });
  return {
    ...whole,
    startedAt: new Date(AT + 3_600_000).toISOString(),
    finishedAt: new Date(AT + 3_601_900).toISOString(),
    rules,
    summary: summaryOf(rules),
    ...changes,
  };
}

/** {@link laterSample} with what has changed since {@link serviceSample}. */
export function againstSample(failsOnNew = false): ConformanceDocument {
  const earlier = serviceSample();
  const later = laterSample();
  const { startedAt } = earlier;
  const against = { run: 'last/run.json', startedAt, failsOnNew, ...ruleChanges(earlier, later) };
  return { ...later, against };
}

/** {@link serviceSample} compared with {@link laterSample}. */
export function ruleComparisonSample(): RuleComparisonDocument {
  return compareRuns(
    { name: 'last/run.json', document: serviceSample() },
    { name: 'now/run.json', document: laterSample() },
    { tool: serviceSample().tool, nowMs: AT + 7_200_000 },
  );
}

function resultOf(rule: Rule, exchanges: string[]): RuleResult {
  const verdict = VERDICTS[rule.id] ?? 'pass';
  const { id, level, statement, section } = rule;
  const base = { id, level, statement, section, verdict, clock: null, exchanges } as const;
  switch (verdict) {
    case 'fail':
      return {
        ...base,
        clock: 'control',
        reason: 'it was refused with 401, and accepted without the field',
        expected: 'status 200: a value equal to the number 0 is kept',
        curl: `curl -sS -X POST 'https://rides.example.test/api/v1/oauth/token' -H 'Content-Type: application/json' -H 'Authorization: Bearer p-100|[signature 12]' -d '{"grant_type":"client_credentials","_":"2025-11-20T10:27:00Z","nostr":"aB3dE6","count":0}'`,
      };
    case 'warn':
      return {
        ...base,
        reason: 'The answer names compact; express was asked for.',
      };
    case 'inconclusive':
      return { ...base, reason: 'The baseline request was refused with 429 as well.' };
    case 'untestable':
      return {
        ...base,
        exchanges: [],
        reason: 'A ban check needs a partner that may be banned.',
        remedy: 'mark a partner as spendable in the profile and run with bans allowed',
      };
    case 'excluded':
      return { ...base, exchanges: [], reason: 'The target is not a test environment.' };
    case 'waived':
      return { ...base, reason: 'Two elements carry seat 1; waived until 2026-01-31.' };
    case 'pass':
      return { ...base, reason: `Held in ${areaOf(rule.id)}: the control was accepted.` };
  }
}

function summaryOf(rules: readonly RuleResult[]): ConformanceSummary {
  const count = (verdict: RuleVerdict): number =>
    rules.filter((rule) => rule.verdict === verdict).length;
  return {
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    inconclusive: count('inconclusive'),
    untestable: count('untestable'),
    excluded: count('excluded'),
    waived: count('waived'),
  };
}

function tokenExchange(id: string, at: number, purpose: string): Exchange {
  const body = JSON.stringify({
    access_token: `[access_token ${at}]`,
    refresh_token: `[refresh_token ${at}]`,
    expires_in_second: 7200,
    token_type: 'bearer',
    scope: 'public',
  });
  return {
    id,
    at: new Date(AT + at * 11).toISOString(),
    purpose,
    partnerId: 'p-100',
    request: {
      method: 'POST',
      url: 'https://rides.example.test/api/v1/oauth/token',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer p-100|[signature ${at}]`,
      },
      body: `{"grant_type":"client_credentials","_":"2025-11-20T10:27:00.000Z","nostr":"aB3dE6"}`,
    },
    response: {
      status: 200,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': `${body.length}`,
      },
      body,
      bodyBytes: body.length,
      truncated: false,
    },
    error: null,
    durationMs: 3.42,
  };
}

function estimateExchange(id: string, at: number): Exchange {
  const body = JSON.stringify([
    {
      product_type: 'private-car',
      ride_type: 'compact',
      currency_code: 'CNY',
      estimate_price: 2350,
      time_in_second: 1260,
      distance_in_meter: 9120,
      car_type: 100,
      dynamic: 1.2,
      estimate_id: `e-${at}`,
      pay_type: '1,2',
      jump_url: 'rides://open?estimate=1',
      download_url: 'https://rides.example.test/app',
    },
  ]);
  return {
    ...tokenExchange(id, at, 'an estimate with a platform token'),
    request: {
      method: 'GET',
      url: 'https://rides.example.test/api/v1/estimates/prices?start_lat=39.9&start_lng=116.3&from_name=%E5%8C%97%E4%BA%AC&end_lat=39.8&end_lng=116.4&to_name=B&product_type=private-car&ride_type=compact',
      headers: { authorization: `Bearer p-100|[access_token ${at}]` },
      body: null,
    },
    response: {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body,
      bodyBytes: body.length,
      truncated: false,
    },
  };
}
