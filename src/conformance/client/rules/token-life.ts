import type { ClientCheck, ClientOutcome, Violation } from '../client-check.ts';
import { grouped } from '../grouped.ts';
import type { Observed } from '../observed.ts';
import {
  allowanceOf,
  type ReceivedToken,
  sentAccessToken,
  sentRefreshToken,
  succeeded,
  type Traffic,
} from '../traffic.ts';

/** What the clocks of the two sides, and a request on its way, are granted. */
export const GRACE_MS = 250;
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

function judgeReuse(traffic: Traffic): ClientOutcome {
  const needless = traffic.tokenRequests.flatMap((request): Violation[] => {
    const held = heldAt(traffic, request);
    if (held === null || held.lifeMs <= SHORT_LIFE_MS || isSpoiled(traffic, held, request))
      return [];
    if (request.receivedMs > held.expiresMs - Math.min(MARGIN_MS, held.lifeMs / 2)) return [];
    const leftS = Math.round((held.expiresMs - request.receivedMs) / 1000);
    return [
      {
        exchange: request.id,
        beside: [held.request.id],
        expected: 'the valid token is used again',
        got: `another token is asked for, with ${leftS} s left of the one from ${held.request.id}`,
      },
    ];
  });
  const uses = grouped(traffic.estimates, (estimate) => sentAccessToken(estimate));
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

/** The newest token of the kind that a request asks for, which the client had by then. */
function heldAt(traffic: Traffic, request: Observed): ReceivedToken | null {
  const allowance = allowanceOf(request);
  const sent = sentRefreshToken(request);
  const kind =
    allowance === 'refresh'
      ? traffic.tokens.find(({ refreshToken }) => refreshToken === sent)?.kind
      : (allowance ?? undefined);
  return (
    traffic.tokens.findLast(
      (token) => token.kind === kind && token.receivedMs + GRACE_MS / 5 < request.receivedMs,
    ) ?? null
  );
}

/**
 * Whether an estimate with the token failed before a request, which may be why another is wanted, or
 * whether the request tries again what has just failed.
 */
function isSpoiled(
  { estimates, tokenRequests, tokens }: Traffic,
  token: ReceivedToken,
  before: Observed,
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
  const isRetry = tokenRequests.some(
    (request) =>
      request.receivedMs > token.receivedMs &&
      request.receivedMs < before.receivedMs &&
      !succeeded(request),
  );
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
    const next = tokenRequests.find((request) => heldAt(traffic, request) === token);
    if (next === undefined) return [];
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

function judgeNewestUserToken(traffic: Traffic): ClientOutcome {
  const { estimates, tokens, elsewhere } = traffic;
  const userTokens = tokens.filter(({ kind }) => kind === 'user');
  const withUserToken = estimates.flatMap((estimate) => {
    const token = userTokens.find(({ accessToken }) => accessToken === sentAccessToken(estimate));
    return token === undefined ? [] : [{ estimate, token }];
  });
  const older = withUserToken.flatMap(({ estimate, token }): Violation[] => {
    const newest = userTokens.findLast(
      ({ receivedMs }) => receivedMs + GRACE_MS < estimate.receivedMs,
    );
    if (newest === undefined || newest.receivedMs <= token.receivedMs) return [];
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
  const firstRefusal = new Map<string, Observed>();
  const again = withUserToken.flatMap(({ estimate, token }): Violation[] => {
    if (estimate.receivedMs < issuedMs) return [];
    const refused = firstRefusal.get(token.accessToken);
    const { status, whole } = estimate.answer;
    if (refused === undefined) {
      if (status !== 200 && whole) firstRefusal.set(token.accessToken, estimate);
      return [];
    }
    if (estimate.receivedMs < (refused.finishedMs ?? refused.receivedMs)) return [];
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
