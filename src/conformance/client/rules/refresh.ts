import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { GRACE_MS, sentRefreshToken } from '../traffic/request-fields.ts';
import { estimatesWith } from '../traffic/token-use.ts';
import { descends, type Traffic } from '../traffic/traffic.ts';
import { type CheckOutcome, type ClientCheck, repeats, type Violation } from './check.ts';

/** Use of refresh_tokens (interface.md, "Token response body"). */
export const REFRESH_CHECKS: readonly ClientCheck[] = [
  { rule: 'client/refresh-single-use', judge: judgeSingleUse },
  { rule: 'client/refresh-newest', judge: judgeNewest },
];

const MISSING = 'no refresh was sent';

interface Refresh {
  readonly request: ParsedRequest;
  readonly sent: string;
}

function refreshesOf({ tokenRequests }: Traffic): Refresh[] {
  return tokenRequests.flatMap((request) => {
    const sent = sentRefreshToken(request);
    return sent === null ? [] : { request, sent };
  });
}

function judgeSingleUse(traffic: Traffic): CheckOutcome {
  const refreshes = refreshesOf(traffic);
  const violations = repeats(refreshes, ({ sent }) => sent).map(
    ([{ request: first, sent }, { request }]): Violation => ({
      exchange: request.id,
      related: [first.id],
      expected: 'a refresh_token is sent once',
      got: `${sent} a second time, after ${first.id}${first.answer.whole ? '' : ', whose answer was lost'}`,
    }),
  );
  return {
    violations,
    judged: refreshes.map(({ request }) => request.id),
    passed: 'each refresh_token is sent once',
    missing: MISSING,
  };
}

function judgeNewest(traffic: Traffic): CheckOutcome {
  const refreshes = refreshesOf(traffic);
  const expected = 'the newest refresh_token that it received';
  const violations = refreshes.flatMap((refresh): Violation | [] => {
    const got = notNewest(traffic, refresh);
    return got === null ? [] : { exchange: refresh.request.id, expected, got };
  });
  return {
    violations,
    judged: refreshes.map(({ request }) => request.id),
    passed: 'the refresh_token sent is the newest one',
    missing: MISSING,
  };
}

function notNewest(traffic: Traffic, { request, sent }: Refresh): string | null {
  const { tokens, complete, requests } = traffic;
  const owner = tokens.find(({ refreshToken }) => refreshToken === sent);
  if (owner === undefined) {
    // A token of a failed answer is judged by `client/failure-handled`.
    const isFromFailure = requests.some(
      ({ answer }) => answer.status !== 200 && answer.refreshToken === sent,
    );
    if (!complete || isFromFailure) return null;
    const isAccess = tokens.some(({ accessToken }) => accessToken === sent);
    return isAccess ? 'an access_token in its place' : 'a text that it never received';
  }
  const newest = tokens.findLast(
    ({ kind, partnerId, receivedMs, refreshToken }) =>
      kind === owner.kind &&
      partnerId === owner.partnerId &&
      refreshToken !== null &&
      receivedMs + GRACE_MS < request.receivedMs,
  );
  if (newest === undefined || newest.receivedMs <= owner.receivedMs) return null;
  // Two workers may use two tokens side by side.
  const isStillUsed = estimatesWith(traffic, owner).some(
    ({ receivedMs }) => receivedMs > newest.receivedMs + GRACE_MS,
  );
  if (isStillUsed && !descends(newest, owner)) return null;
  return `${sent}, from ${owner.request.id}; the newest one came with ${newest.request.id}`;
}
