import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { groupBy } from '../traffic/group-by.ts';
import type { ReceivedToken } from '../traffic/received-tokens.ts';
import { sentAccessToken } from '../traffic/request-fields.ts';
import {
  estimatesWith,
  followsFailure,
  REPLACEMENT_MARGIN_MS,
  replacedBy,
  SHORT_LIFE_MS,
} from '../traffic/token-use.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { CheckOutcome, ClientCheck, Violation } from './check.ts';

/** Needless tokens that are tolerated: one may be a second worker's. */
const SPARE_TOKENS = 1;

/** Reuse of valid tokens (interface.md, "States and transitions"). */
export const TOKEN_REUSE_CHECKS: readonly ClientCheck[] = [
  { rule: 'client/token-reused', judge: judgeReuse },
];

/** Platform tokens coexist: a client may have several, as long as it does not abandon a valid one. */
function judgeReuse(traffic: Traffic): CheckOutcome {
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
    missing: 'no second estimate was requested while a token was valid',
  };
}

function needlessRequest(traffic: Traffic, request: ParsedRequest): Violation | null {
  const replaced = replacedBy(traffic, request);
  if (replaced === null || replaced.lifeMs <= SHORT_LIFE_MS) return null;
  const leftMs = replaced.expiresMs - request.receivedMs;
  if (leftMs < Math.min(REPLACEMENT_MARGIN_MS, replaced.lifeMs / 2)) return null;
  if (followsFailure(traffic, replaced, request)) return null;
  if (!isAbandoned(traffic, replaced, request)) return null;
  return {
    exchange: request.id,
    related: [replaced.request.id],
    expected: 'the valid token is reused',
    got: `another token is requested with ${Math.round(leftMs / 1000)} s left of the one from ${replaced.request.id}, which is not used again`,
  };
}

/** True if the client used the token that a request brought, and never the earlier one again. */
function isAbandoned(traffic: Traffic, earlier: ReceivedToken, request: ParsedRequest): boolean {
  const isLater = ({ receivedMs }: ParsedRequest): boolean => receivedMs >= request.receivedMs;
  const isUsed = (token: ReceivedToken): boolean => estimatesWith(traffic, token).some(isLater);
  const brought = traffic.tokens.find((token) => token.request === request);
  return (
    !isUsed(earlier) && (brought === undefined ? traffic.estimates.some(isLater) : isUsed(brought))
  );
}
