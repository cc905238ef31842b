import type { ParsedRequest } from '../traffic/parsed-request.ts';
import {
  descends,
  GRACE_MS,
  type ReceivedToken,
  sentAccessToken,
  sentRefreshToken,
  type Traffic,
} from '../traffic/traffic.ts';
import type { ClientCheck, ClientOutcome, Violation } from './check.ts';

const NO_REFRESH = 'a refresh was not sent';

/** How refresh_tokens are used (interface.md, "Token response body"). */
export const REFRESH_CHECKS: readonly ClientCheck[] = [
  { rule: 'client/refresh-single-use', judge: judgeSingleUse },
  { rule: 'client/refresh-newest', judge: judgeNewest },
];

const refreshesOf = ({ tokenRequests }: Traffic): { request: ParsedRequest; sent: string }[] =>
  tokenRequests.flatMap((request) => {
    const sent = sentRefreshToken(request);
    return sent === null ? [] : [{ request, sent }];
  });

function judgeSingleUse(traffic: Traffic): ClientOutcome {
  const refreshes = refreshesOf(traffic);
  const firstBy = new Map<string, ParsedRequest>();
  const violations = refreshes.flatMap(({ request, sent }): Violation[] => {
    const first = firstBy.get(sent);
    if (first === undefined) {
      firstBy.set(sent, request);
      return [];
    }
    const lost = first.answer.whole ? '' : ', whose answer was lost';
    return [
      {
        exchange: request.id,
        beside: [first.id],
        expected: 'a refresh_token is sent once',
        got: `${sent} a second time, after ${first.id}${lost}`,
      },
    ];
  });
  return {
    violations,
    judged: refreshes.map(({ request }) => request.id),
    held: 'each refresh_token is sent once',
    missing: NO_REFRESH,
  };
}

function judgeNewest(traffic: Traffic): ClientOutcome {
  const refreshes = refreshesOf(traffic);
  const violations = refreshes.flatMap(({ request, sent }): Violation[] => {
    const got = faultOf(traffic, request, sent);
    if (got === null) return [];
    return [{ exchange: request.id, expected: 'the newest refresh_token that it received', got }];
  });
  return {
    violations,
    judged: refreshes.map(({ request }) => request.id),
    held: 'the refresh_token sent is the newest one',
    missing: NO_REFRESH,
  };
}

function faultOf(traffic: Traffic, request: ParsedRequest, sent: string): string | null {
  const { tokens, complete, requests } = traffic;
  const holder = tokens.find(({ refreshToken }) => refreshToken === sent);
  if (holder === undefined) {
    if (!complete || isFromFailure(requests, sent)) return null;
    const isAccess = tokens.some(({ accessToken }) => accessToken === sent);
    return isAccess ? 'an access_token in its place' : 'a text that is none it received';
  }
  const newest = tokens.findLast(
    ({ kind, partnerId, receivedMs, refreshToken }) =>
      kind === holder.kind &&
      partnerId === holder.partnerId &&
      refreshToken !== null &&
      receivedMs + GRACE_MS < request.receivedMs,
  );
  if (newest === undefined || newest.receivedMs <= holder.receivedMs) return null;
  if (!descends(newest, holder) && isAlive(traffic, holder, newest)) return null;
  return `${sent}, from ${holder.request.id}; the newest one came with ${newest.request.id}`;
}

/** A refused answer's token is a matter of `client/failure-handled`. */
function isFromFailure(requests: readonly ParsedRequest[], sent: string): boolean {
  return requests.some(({ answer }) => answer.status !== 200 && answer.refreshToken === sent);
}

/** Whether the client uses both tokens side by side, as two workers do. */
function isAlive({ estimates }: Traffic, token: ReceivedToken, newer: ReceivedToken): boolean {
  return estimates.some(
    (estimate) =>
      sentAccessToken(estimate) === token.accessToken &&
      estimate.receivedMs > newer.receivedMs + GRACE_MS,
  );
}
