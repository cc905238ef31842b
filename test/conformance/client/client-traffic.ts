import { expect } from 'vitest';
import { ExchangeParser } from '../../../src/conformance/client/evidence/exchange-parser.ts';
import { judgeRule } from '../../../src/conformance/client/judging/scenario-result.ts';
import { CLIENT_CHECKS } from '../../../src/conformance/client/rules/all.ts';
import type { CheckOutcome } from '../../../src/conformance/client/rules/check.ts';
import type { CapturedExchange } from '../../../src/conformance/client/traffic/captured.ts';
import { trafficOf } from '../../../src/conformance/client/traffic/traffic.ts';
import { ALL_FIELDS } from '../../../src/conformance/signature/signing-context.ts';
import type { ParsedRequest, StimulusKind } from '../../../src/documents/parsed-request.ts';
import type { ScenarioFrame } from '../../../src/documents/scenario.ts';
import { sign } from '../../../src/interface/index.ts';

export const NOON: number = Date.UTC(2026, 2, 2, 12);
export const KNOWN_PARTNER: { id: string; signingKey: string } = {
  id: 'p-1',
  signingKey: 'A Key Of Some Length',
};

export const QUERY: Readonly<Record<string, string>> = {
  start_lat: '39.9087',
  start_lng: '116.3975',
  from_name: '天安门',
  end_lat: '39.9929',
  end_lng: '116.3106',
  to_name: 'Summer Palace',
  product_type: 'private-car',
  ride_type: 'compact',
};

/** Properties of one exchange; times in milliseconds after noon. */
export interface Twist {
  at?: number;
  /** Milliseconds until the last byte; null for a broken connection. */
  took?: number | null;
  status?: number;
  answer?: unknown;
  answerHeaders?: Record<string, string>;
  method?: string;
  target?: string;
  headers?: Record<string, string | undefined>;
  body?: string;
  /** Id in a token request, beside the signature by the known key. */
  partner?: string;
  fields?: Record<string, unknown>;
  stimuli?: StimulusKind[];
  sender?: 'client' | 'elsewhere';
  overlaps?: boolean;
  /** Number of its connection; unknown if left out. */
  connection?: number;
  /** Time that the harness may have left it waiting. */
  delayMs?: number;
}

let nostrs = 0;

function captured(given: {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: string;
  answer: unknown;
  twist: Twist;
}): CapturedExchange {
  const { twist } = given;
  const { at = 0, took = 5 } = twist;
  const headers = { ...given.headers, ...twist.headers };
  const answer = 'answer' in twist ? twist.answer : given.answer;
  return {
    scenario: null,
    sender: twist.sender ?? 'client',
    request: {
      method: twist.method ?? given.method,
      target: twist.target ?? given.target,
      headers: Object.fromEntries(
        Object.entries(headers).filter(([, value]) => value !== undefined),
      ) as Record<string, string>,
      body: Buffer.from(twist.body ?? given.body),
      receivedMs: NOON + at,
    },
    answer: {
      status: twist.status ?? 200,
      headers: twist.answerHeaders ?? {},
      body: typeof answer === 'string' ? answer : JSON.stringify(answer),
    },
    finishedMs: took === null ? null : NOON + at + took,
    stimuli: twist.stimuli ?? [],
    overlaps: twist.overlaps,
    connection: twist.connection,
    delayMs: twist.delayMs,
  };
}

/** A token request, right but for its twist; `token` names the tokens of its answer. */
export function tokenRequest(token: string, twist: Twist = {}, lifeS = 7200): CapturedExchange {
  const fields = {
    grant_type: 'client_credentials',
    _: new Date(NOON + (twist.at ?? 0)).toISOString(),
    nostr: `n${String(nostrs++).padStart(5, '0')}`,
    ...twist.fields,
  };
  const sent = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
  return captured({
    method: 'POST',
    target: '/v1/oauth/token',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${twist.partner ?? KNOWN_PARTNER.id}|${sign(sent, KNOWN_PARTNER.signingKey)}`,
    },
    body: JSON.stringify(sent),
    answer: {
      access_token: `access-${token}`,
      refresh_token: `refresh-${token}`,
      expires_in_second: lifeS,
      token_type: 'bearer',
      scope: 'public',
    },
    twist,
  });
}

export function refresh(
  sent: string,
  token: string,
  twist: Twist = {},
  lifeS = 7200,
): CapturedExchange {
  const fields = { grant_type: 'refresh_token', refresh_token: `refresh-${sent}` };
  return tokenRequest(token, { ...twist, fields: { ...fields, ...twist.fields } }, lifeS);
}

export function userToken(token: string, twist: Twist = {}, lifeS = 7200): CapturedExchange {
  const fields = {
    grant_type: 'authorization_code',
    auth_code: 'code-1',
    scope: 'public rides.read rides.request',
  };
  return tokenRequest(token, { ...twist, fields: { ...fields, ...twist.fields } }, lifeS);
}

const record = { estimate_id: 'estimate-1', estimate_price: 1200 };

export function estimate(token: string, twist: Twist = {}): CapturedExchange {
  return captured({
    method: 'GET',
    target: `/v1/estimates/prices?${new URLSearchParams(QUERY).toString()}`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Bearer ${KNOWN_PARTNER.id}|access-${token}`,
    },
    body: '',
    answer: [record],
    twist,
  });
}

export function userEstimate(token: string, twist: Twist = {}): CapturedExchange {
  const signature = sign(QUERY, KNOWN_PARTNER.signingKey);
  const authorization = `Bearer ${KNOWN_PARTNER.id}|${signature} openid|access-${token}`;
  return estimate(token, { ...twist, headers: { authorization, ...twist.headers } });
}

/** Reads exchanges as the checker does. */
export function observe(exchanges: readonly CapturedExchange[]): ParsedRequest[] {
  const parser = new ExchangeParser({
    partners: [KNOWN_PARTNER],
    baseUrlOf: () => 'http://127.0.0.1:1',
    signedFields: ALL_FIELDS,
  });
  return exchanges.map((exchange) => parser.parse(exchange).observed);
}

/** Judges one rule on some exchanges. */
export function outcomeOf(
  rule: string,
  exchanges: readonly CapturedExchange[],
  frame: ScenarioFrame | null = null,
  complete = true,
  poolSize = 0,
): CheckOutcome {
  const check = CLIENT_CHECKS.find((one) => one.rule === rule);
  if (!check) throw new Error(`no check of ${rule}`);
  return judgeRule(check, trafficOf(observe(exchanges), frame, complete, { poolSize }));
}

/** Judges one rule on some exchanges: what was broken, in words, and how many could be judged. */
export function judge(...args: Parameters<typeof outcomeOf>): {
  got: string[];
  judged: number;
  missing: string;
} {
  const outcome = outcomeOf(...args);
  return {
    got: outcome.violations.map(({ got }) => got),
    judged: outcome.judged.length,
    missing: outcome.missing,
  };
}

/** A rule, traffic that keeps it, traffic that breaks it, and the reason for the violation. */
export type RuleCase = readonly [
  rule: string,
  kept: readonly CapturedExchange[],
  broken: readonly CapturedExchange[],
  reason: RegExp,
];

/** Expects that a rule passes on the traffic that keeps it, and fails on the other for the reason. */
export function expectJudgement(...[rule, kept, broken, reason]: RuleCase): void {
  const passed = judge(rule, kept);
  expect(passed.got).toEqual([]);
  // Failures are only judged in a scenario that causes them.
  if (rule !== 'client/failure-handled') expect(passed.judged).toBeGreaterThan(0);
  expect(judge(rule, broken).got.join('\n')).toMatch(reason);
}

/** Several token requests, a second apart. */
export function tokens(
  count: number,
  twist: (n: number) => Twist = (n) => ({ at: n * 1000 }),
): CapturedExchange[] {
  return Array.from({ length: count }, (_, n) => tokenRequest(`t${n}`, twist(n)));
}

/** The target of an estimate request with changed parameters; undefined leaves one out. */
export function query(change: Record<string, string | undefined>): string {
  const pairs = Object.entries({ ...QUERY, ...change }).filter(([, value]) => value !== undefined);
  return `/v1/estimates/prices?${new URLSearchParams(pairs as [string, string][]).toString()}`;
}
