import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { ALLOWANCE_PER_DAY } from '../../../interface/limits.ts';
import {
  allowanceOf,
  GRACE_MS,
  knewAnswer,
  sentAccessToken,
  succeeded,
} from '../traffic/request-fields.ts';
import {
  estimatesWith,
  followsFailure,
  processesOf,
  REPLACEMENT_MARGIN_MS,
  type ReceivedToken,
  replacedBy,
  SHORT_LIFE_MS,
  type Traffic,
  tokenOf,
} from '../traffic/traffic.ts';
import { type CheckOutcome, groupBy, type Violation } from './check.ts';

/** Needless tokens that are tolerated: one may be a second worker's. */
const SPARE_TOKENS = 1;

/** Platform tokens coexist: a client may have several, as long as it does not abandon a valid one. */
export function judgeReuse(traffic: Traffic): CheckOutcome {
  const needless = traffic.tokenRequests.flatMap(
    (request) => needlessRequest(traffic, request) ?? [],
  );
  const isBroken = needless.length > SPARE_TOKENS;
  const reused = [...groupBy(traffic.estimates, sentAccessToken)].flatMap(([token, estimates]) =>
    token !== null && estimates.length > 1 ? estimates : [],
  );
  return {
    violations: isBroken ? needless : [],
    judged: isBroken ? [] : reused.map(({ id }) => id),
    passed: 'a valid token is reused',
    missing:
      traffic.tokens.length > 1
        ? `each token was used once: a client with up to ${ALLOWANCE_PER_DAY.platform} in turn uses them again later`
        : 'no second estimate was requested while a token was valid',
  };
}

function needlessRequest(traffic: Traffic, request: ParsedRequest): Violation | null {
  const replaced = replacedBy(traffic, request);
  if (replaced === null || replaced.lifeMs <= SHORT_LIFE_MS) return null;
  const leftMs = replaced.expiresMs - request.receivedMs;
  if (leftMs < Math.min(REPLACEMENT_MARGIN_MS, replaced.lifeMs / 2)) return null;
  if (followsFailure(traffic, replaced, request)) return null;
  if (!isAbandoned(traffic, replaced, request) || fillsPool(traffic, request)) return null;
  return {
    exchange: request.id,
    related: [replaced.request.id],
    expected: 'the valid token is reused',
    got: `another token is requested with ${Math.round(leftMs / 1000)} s left of the one from ${replaced.request.id}, which is not used again`,
  };
}

/** True if a client may still have been filling its pool of platform tokens by a request. */
function fillsPool({ tokens, poolSize }: Traffic, request: ParsedRequest): boolean {
  const added = tokens.filter(
    ({ kind, from, request: { receivedMs } }) =>
      kind === 'platform' && from === null && receivedMs <= request.receivedMs,
  );
  return allowanceOf(request) === 'platform' && added.length <= poolSize;
}

/**
 * True if the client used the token that a request brought, and never the earlier one again. In a pool
 * that is used in turn, the use of any earlier platform token shows that the turn of this one may come.
 */
function isAbandoned(traffic: Traffic, earlier: ReceivedToken, request: ParsedRequest): boolean {
  const isLater = ({ receivedMs }: ParsedRequest): boolean => receivedMs >= request.receivedMs;
  const isUsed = (token: ReceivedToken): boolean => estimatesWith(traffic, token).some(isLater);
  const brought = traffic.tokens.find((token) => token.request === request);
  // Those of a pool may come in the same millisecond.
  const inPool = traffic.tokens.filter(
    ({ kind, receivedMs }) => kind === 'platform' && receivedMs <= earlier.receivedMs,
  );
  const others = allowanceOf(request) === 'platform' ? inPool : [];
  return (
    ![earlier, ...others].some(isUsed) &&
    (brought === undefined ? traffic.estimates.some(isLater) : isUsed(brought))
  );
}

/** Time for which a busy machine may hold up a client between its look at the clock and its request. */
const STALL_MS = 1500;

/** The end of a token's life (interface.md, "States and transitions"). */
export function judgeExpiry(traffic: Traffic): CheckOutcome {
  const { estimates, tokens } = traffic;
  const lastMs = Math.max(0, ...estimates.map(({ receivedMs }) => receivedMs));
  const expired = tokens.filter(({ expiresMs }) => expiresMs + GRACE_MS < lastMs);
  return {
    violations: estimates.flatMap((estimate) => lateUse(traffic, estimate) ?? []),
    judged: expired.map(({ request }) => request.id),
    passed: 'no estimate request is sent with an expired token',
    missing: 'no estimate was requested after a token had expired',
  };
}

function lateUse(traffic: Traffic, estimate: ParsedRequest): Violation | null {
  const token = tokenOf(traffic, estimate);
  if (token === undefined) return null;
  const lateMs = estimate.receivedMs - (estimate.delayMs ?? 0) - token.expiresMs;
  if (lateMs <= GRACE_MS) return null;
  const longestMs = Math.max(STALL_MS, traffic.scenario?.heldUpMs ?? 0);
  const mayBeChance = lateMs <= longestMs && !hadNext(traffic, token, estimate);
  return {
    exchange: estimate.id,
    related: [token.request.id],
    expected: `no estimate request with the token from ${token.request.id} after its ${token.lifeMs / 1000} s`,
    got: `an estimate request ${Math.round(lateMs)} ms after they had elapsed`,
    ...(mayBeChance && { mayBeChance }),
  };
}

/** True if a client had the successor of a token when it sent an estimate request. */
function hadNext(traffic: Traffic, token: ReceivedToken, estimate: ParsedRequest): boolean {
  return traffic.tokens.some(
    ({ request }) =>
      replacedBy(traffic, request) === token &&
      !fillsPool(traffic, request) &&
      knewAnswer(estimate, request),
  );
}

/** The end of a token's life (interface.md, "States and transitions"). */
export function judgeReplacement(traffic: Traffic): CheckOutcome {
  const replacements = traffic.tokens.flatMap((token) => {
    const next = replacementOf(traffic, token);
    return next === undefined || isExcused(traffic, token, next) ? [] : { token, next };
  });
  const violations = replacements.flatMap(({ token, next }): Violation | [] => {
    if (allowanceOf(next) === 'refresh' || token.refreshToken === null) return [];
    return {
      exchange: next.id,
      related: [token.request.id],
      expected: 'an expired token is replaced through its refresh_token',
      got: `a new ${allowanceOf(next)} token is requested, the refresh_token from ${token.request.id} is left unused`,
    };
  });
  return {
    violations,
    judged: replacements.map(({ next }) => next.id),
    passed: 'an expired token is replaced through a refresh',
    missing: 'no expired token was replaced',
  };
}

/** True if a request for a new token need not be for the token that ended before it. */
function isExcused(traffic: Traffic, token: ReceivedToken, next: ParsedRequest): boolean {
  // Another process of the client need not know of it.
  const isRestarted = processesOf(traffic.scenario) > 1 && allowanceOf(next) !== 'refresh';
  return (
    isRestarted ||
    isAddition(traffic, next) ||
    fillsPool(traffic, next) ||
    replacesOther(traffic, token, next)
  );
}

/** True if a client still uses a line of such tokens that it had before: the new one joins a pool. */
function isAddition(traffic: Traffic, next: ParsedRequest): boolean {
  const firstOf = (token: ReceivedToken): ReceivedToken => {
    let first = token;
    while (first.from !== null) first = first.from;
    return first;
  };
  return traffic.estimates.some((estimate) => {
    const token = tokenOf(traffic, estimate);
    const isLater = estimate.receivedMs > next.receivedMs;
    return (
      isLater && token?.kind === allowanceOf(next) && firstOf(token).receivedMs < next.receivedMs
    );
  });
}

/**
 * True if a request for a platform token makes up for a refresh of another token that failed since this
 * one came. The token that it brings is newer than the failure, which so allows one.
 */
function replacesOther(traffic: Traffic, token: ReceivedToken, next: ParsedRequest): boolean {
  if (allowanceOf(next) !== 'platform') return false;
  return traffic.tokenRequests
    .slice(0, traffic.tokenRequests.indexOf(next))
    .some(
      (one) =>
        allowanceOf(one) === 'refresh' && !succeeded(one) && one.receivedMs >= token.receivedMs,
    );
}

/** The request that replaced a token because of its expiry. */
function replacementOf(traffic: Traffic, token: ReceivedToken): ParsedRequest | undefined {
  const requests = traffic.tokenRequests.filter((one) => replacedBy(traffic, one) === token);
  // In a pool of tokens a new one may be an addition: only the refresh replaces this one.
  const next = requests.find((one) => allowanceOf(one) === 'refresh') ?? requests[0];
  if (next === undefined) return undefined;
  const dueMs =
    token.lifeMs <= SHORT_LIFE_MS
      ? token.receivedMs + GRACE_MS
      : token.expiresMs - REPLACEMENT_MARGIN_MS;
  if (next.receivedMs < dueMs) return undefined;
  const isForFailure = next.receivedMs < token.expiresMs && followsFailure(traffic, token, next);
  return isForFailure ? undefined : next;
}
