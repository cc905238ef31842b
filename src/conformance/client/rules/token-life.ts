import { groupBy } from '../traffic/group-by.ts';
import type { ParsedRequest } from '../traffic/parsed-request.ts';
import {
  allowanceOf,
  descends,
  GRACE_MS,
  knewAnswer,
  type ReceivedToken,
  sentAccessToken,
  sentRefreshToken,
  succeeded,
  type Traffic,
} from '../traffic/traffic.ts';
import type { ClientCheck, ClientOutcome, Violation } from './check.ts';

/** Below this, a client may replace a token at any time: its margin may be longer than the life. */
const SHORT_LIFE_MS = 120_000;
/** A margin before expiry in which a client may replace a token. */
const MARGIN_MS = 600_000;
/** One token beyond need may be a second worker's. */
const SPARE_TOKENS = 1;

/** How tokens are used while they live, and after (interface.md, "States and transitions"). */
export const TOKEN_LIFE_CHECKS: readonly ClientCheck[] = [
  { rule: 'client/token-reused', judge: judgeReuse },
  { rule: 'client/expiry-respected', judge: judgeExpiry },
  { rule: 'client/expired-refreshed', judge: judgeReplacement },
  { rule: 'client/user-token-newest', judge: judgeNewestUserToken },
];

/**
 * Platform tokens coexist, so a client may hold several; none of them may be dropped for a new one
 * while it is valid.
 */
function judgeReuse(traffic: Traffic): ClientOutcome {
  const needless = traffic.tokenRequests.flatMap((request): Violation[] => {
    const held = replacedBy(traffic, request);
    if (held === null || held.lifeMs <= SHORT_LIFE_MS || isSpoiled(traffic, held, request))
      return [];
    if (request.receivedMs > held.expiresMs - Math.min(MARGIN_MS, held.lifeMs / 2)) return [];
    if (!isDropped(traffic, held, request)) return [];
    const leftS = Math.round((held.expiresMs - request.receivedMs) / 1000);
    return [
      {
        exchange: request.id,
        beside: [held.request.id],
        expected: 'the valid token is used again',
        got: `another token is asked for, with ${leftS} s left of the one from ${held.request.id}, which is not used again`,
      },
    ];
  });
  const uses = groupBy(traffic.estimates, (estimate) => sentAccessToken(estimate));
  const reused = [...uses].flatMap(([token, estimates]) =>
    token !== null && estimates.length > 1 ? estimates.map(({ id }) => id) : [],
  );
  return {
    violations: needless.length > SPARE_TOKENS ? needless : [],
    judged: needless.length > SPARE_TOKENS ? [] : reused,
    held: 'a valid token is reused',
    missing: 'a second estimate while a token is valid was not asked for',
  };
}

/**
 * The token in whose place a request asks for one: the one that it refreshes, else the newest of
 * that kind, which the client had by then.
 */
function replacedBy({ tokens }: Traffic, request: ParsedRequest): ReceivedToken | null {
  const allowance = allowanceOf(request);
  const sent = sentRefreshToken(request);
  if (allowance === 'refresh') {
    return tokens.find(({ refreshToken }) => sent !== null && refreshToken === sent) ?? null;
  }
  return (
    tokens.findLast(
      (token) =>
        token.kind === allowance &&
        token.partnerId === request.authorization.partnerId &&
        knewAnswer(request, token.request),
    ) ?? null
  );
}

/** Whether estimates went on after a request, with what it brought and without the token held before. */
function isDropped(
  { estimates, tokens }: Traffic,
  held: ReceivedToken,
  by: ParsedRequest,
): boolean {
  const brought = tokens.find(({ request }) => request === by);
  const later = estimates.filter(({ receivedMs }) => receivedMs >= by.receivedMs);
  const uses = (token: ReceivedToken): boolean =>
    later.some((estimate) => sentAccessToken(estimate) === token.accessToken);
  return !uses(held) && (brought === undefined ? later.length > 0 : uses(brought));
}

/**
 * Whether an estimate with the token failed before a request, which may be why another is wanted, or
 * whether the request tries again what has just failed.
 */
function isSpoiled(
  { estimates, tokenRequests, tokens }: Traffic,
  token: ReceivedToken,
  before: ParsedRequest,
): boolean {
  const isOther = (sent: string | null): boolean =>
    sent !== token.accessToken && tokens.some(({ accessToken }) => accessToken === sent);
  const refused = estimates.some(
    (estimate) =>
      estimate.answer.status !== 200 &&
      estimate.receivedMs >= token.receivedMs &&
      estimate.receivedMs <= before.receivedMs &&
      !isOther(sentAccessToken(estimate)),
  );
  const last = tokenRequests[tokenRequests.indexOf(before) - 1];
  const isRetry = last !== undefined && last.receivedMs >= token.receivedMs && !succeeded(last);
  return refused || isRetry;
}

function judgeExpiry({ estimates, tokens }: Traffic): ClientOutcome {
  const lastMs = Math.max(0, ...estimates.map(({ receivedMs }) => receivedMs));
  const outlived = tokens.filter(({ expiresMs }) => expiresMs + GRACE_MS < lastMs);
  const violations = estimates.flatMap((estimate): Violation[] => {
    const token = tokens.find(({ accessToken }) => accessToken === sentAccessToken(estimate));
    if (token === undefined || estimate.receivedMs <= token.expiresMs + GRACE_MS) return [];
    const lateMs = Math.round(estimate.receivedMs - token.expiresMs);
    return [
      {
        exchange: estimate.id,
        beside: [token.request.id],
        expected: `no estimate with the token from ${token.request.id} after its ${token.lifeMs / 1000} s`,
        got: `an estimate ${lateMs} ms after they had elapsed`,
      },
    ];
  });
  return {
    violations,
    judged: outlived.map(({ request }) => request.id),
    held: 'no estimate is sent with an expired token',
    missing: 'an estimate after a token had expired was not asked for',
  };
}

function judgeReplacement(traffic: Traffic): ClientOutcome {
  const { tokenRequests, tokens } = traffic;
  const replaced = tokens.flatMap((token) => {
    const inPlace = tokenRequests.filter((request) => replacedBy(traffic, request) === token);
    // Beside a pool's other tokens this one may go on, and be refreshed in its own time.
    const next = inPlace.find((request) => allowanceOf(request) === 'refresh') ?? inPlace[0];
    if (next === undefined || isUsedAfter(traffic, token, next)) return [];
    const dueMs =
      token.lifeMs <= SHORT_LIFE_MS ? token.receivedMs + GRACE_MS : token.expiresMs - MARGIN_MS;
    if (next.receivedMs < dueMs) return [];
    if (next.receivedMs < token.expiresMs && isSpoiled(traffic, token, next)) return [];
    return [{ token, next }];
  });
  const violations = replaced.flatMap(({ token, next }): Violation[] => {
    if (allowanceOf(next) === 'refresh' || token.refreshToken === null) return [];
    return [
      {
        exchange: next.id,
        beside: [token.request.id],
        expected: 'an expired token is replaced through its refresh_token',
        got: `a new ${allowanceOf(next)} token is asked for, the refresh_token from ${token.request.id} is left unused`,
      },
    ];
  });
  return {
    violations,
    judged: replaced.map(({ next }) => next.id),
    held: 'an expired token is replaced through a refresh',
    missing: 'an expired token was not replaced',
  };
}

function isUsedAfter(
  { estimates }: Traffic,
  token: ReceivedToken,
  request: ParsedRequest,
): boolean {
  return estimates.some(
    (estimate) =>
      sentAccessToken(estimate) === token.accessToken && estimate.receivedMs > request.receivedMs,
  );
}

function judgeNewestUserToken(traffic: Traffic): ClientOutcome {
  const { estimates, tokens, elsewhere } = traffic;
  const userTokens = tokens.filter(({ kind }) => kind === 'user');
  const withUserToken = estimates.flatMap((estimate) => {
    const token = userTokens.find(({ accessToken }) => accessToken === sentAccessToken(estimate));
    return token === undefined ? [] : [{ estimate, token }];
  });
  const older = withUserToken.flatMap(({ estimate, token }): Violation[] => {
    const newest = userTokens.findLast(
      ({ request, partnerId }) => partnerId === token.partnerId && knewAnswer(estimate, request),
    );
    if (newest === undefined || newest.receivedMs <= token.receivedMs) return [];
    // Where the auth codes are not ours, the two may be tokens of two users.
    if (!traffic.complete && !descends(newest, token)) return [];
    return [
      {
        exchange: estimate.id,
        beside: [newest.request.id],
        expected: `the newest user token, from ${newest.request.id}`,
        got: `the one from ${token.request.id}`,
      },
    ];
  });
  const issuedMs = Math.min(...elsewhere.map(({ receivedMs }) => receivedMs));
  const firstRefusal = new Map<string, ParsedRequest>();
  const again = withUserToken.flatMap(({ estimate, token }): Violation[] => {
    if (estimate.receivedMs < issuedMs) return [];
    const refused = firstRefusal.get(token.accessToken);
    const { status, whole } = estimate.answer;
    if (refused === undefined) {
      if (status !== 200 && whole) firstRefusal.set(token.accessToken, estimate);
      return [];
    }
    if (!knewAnswer(estimate, refused)) return [];
    return [
      {
        exchange: estimate.id,
        beside: [refused.id],
        expected: `the token that was refused in ${refused.id} is not used again`,
        got: 'it is, though a newer one was issued elsewhere',
      },
    ];
  });
  const second = userTokens[1];
  const later = second && withUserToken.filter(({ token }) => token !== userTokens[0]);
  return {
    violations: [...older, ...again],
    judged: [
      ...(later ?? []).map(({ estimate }) => estimate.id),
      ...[...firstRefusal.values()].map(({ id }) => id),
    ],
    held: 'only the newest user token is used',
    missing: 'an estimate after a newer user token was issued was not asked for',
  };
}
