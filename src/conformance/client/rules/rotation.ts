import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { sendsAhead } from '../traffic/concurrency.ts';
import { answeredLongBefore, knewAnswer, sentRefreshToken } from '../traffic/request-fields.ts';
import { descends, type ReceivedToken, type Traffic, tokenOf } from '../traffic/traffic.ts';
import { type CheckOutcome, type ClientCheck, repeats, type Violation } from './check.ts';

/** Use of refresh_tokens (interface.md, "Token response body"). */
export const REFRESH_CHECKS: readonly ClientCheck[] = [
  { rule: 'client/refresh-single-use', judge: judgeSingleUse },
  { rule: 'client/refresh-newest', judge: judgeNewestRefresh },
];

interface Refresh {
  readonly request: ParsedRequest;
  readonly sent: string;
}

function judgeRefreshes(
  { tokenRequests }: Traffic,
  passed: string,
  violationsOf: (refreshes: readonly Refresh[]) => Violation[],
): CheckOutcome {
  const refreshes = tokenRequests.flatMap((request): Refresh | [] => {
    const sent = sentRefreshToken(request);
    return sent === null ? [] : { request, sent };
  });
  const judged = refreshes.map(({ request }) => request.id);
  return { violations: violationsOf(refreshes), judged, passed, missing: 'no refresh was sent' };
}

function judgeSingleUse(traffic: Traffic): CheckOutcome {
  return judgeRefreshes(traffic, 'each refresh_token is sent once', (refreshes) =>
    repeats(refreshes, ({ sent }) => sent).map(([{ request: first, sent }, { request }]) => ({
      exchange: request.id,
      related: [first.id],
      expected: 'a refresh_token is sent once',
      got: `${sent} a second time, after ${first.id}${first.answer.whole ? '' : ', whose answer was lost'}`,
    })),
  );
}

function judgeNewestRefresh(traffic: Traffic): CheckOutcome {
  const expected = 'the newest refresh_token that it received';
  return judgeRefreshes(traffic, 'the refresh_token sent is the newest one', (refreshes) =>
    refreshes.flatMap((refresh) => {
      const got = notNewest(traffic, refresh);
      return got === null ? [] : { exchange: refresh.request.id, expected, got };
    }),
  );
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
    (token) =>
      token.partnerId === owner.partnerId &&
      token.refreshToken !== null &&
      // Platform tokens coexist: each has a line of refresh_tokens of its own.
      (owner.kind === 'user' ? token.kind === 'user' : descends(token, owner)) &&
      knewAnswer(request, token.request),
  );
  if (newest === undefined || newest.receivedMs <= owner.receivedMs) return null;
  return `${sent}, from ${owner.request.id}; the newest one came with ${newest.request.id}`;
}

/** Use of user tokens: only the newest is valid (interface.md, "States and transitions"). */
export const USER_TOKEN_CHECKS: readonly ClientCheck[] = [
  { rule: 'client/user-token-newest', judge: judgeNewestUserToken },
];

/** An estimate request and the user token that it carries. */
interface TokenUse {
  readonly estimate: ParsedRequest;
  readonly token: ReceivedToken;
}

function judgeNewestUserToken(traffic: Traffic): CheckOutcome {
  const userTokens = traffic.tokens.filter(({ kind }) => kind === 'user');
  const uses = traffic.estimates.flatMap((estimate): TokenUse | [] => {
    const token = tokenOf(traffic, estimate);
    return token?.kind === 'user' ? { estimate, token } : [];
  });
  const knew = sendsAhead(traffic) ? answeredLongBefore : knewAnswer;
  const refusals = refusedElsewhere(traffic, uses);
  const laterUses = uses.filter(({ token }) => token !== userTokens[0]);
  return {
    violations: [
      ...unlessByChance(uses.flatMap((use) => useOfOlder(traffic, userTokens, use, knew) ?? [])),
      ...uses.flatMap((use) => useAfterRefusal(refusals, use, knew) ?? []),
    ],
    judged: [
      ...laterUses.map(({ estimate }) => estimate.id),
      ...[...refusals.values()].map(({ id }) => id),
    ],
    passed: 'only the newest user token is used',
    missing: 'no estimate was requested after a newer user token was issued',
  };
}

/** True if a client had an earlier answer when it sent a request. */
type Knew = (request: ParsedRequest, earlier: ParsedRequest) => boolean;

/** An estimate request with an older token than the newest one that the client had. */
interface UseOfOlder extends TokenUse {
  readonly newest: ReceivedToken;
}

function useOfOlder(
  { complete }: Traffic,
  userTokens: readonly ReceivedToken[],
  { estimate, token }: TokenUse,
  knew: Knew,
): UseOfOlder | null {
  const newest = userTokens.findLast(
    ({ request, partnerId }) => partnerId === token.partnerId && knew(estimate, request),
  );
  if (newest === undefined || newest.receivedMs <= token.receivedMs) return null;
  // With auth codes that are not ours, the two may be tokens of two users.
  if (!complete && !descends(newest, token)) return null;
  return { estimate, token, newest };
}

/** A thread may have sent one estimate just as another thread was answered, but not every time. */
function unlessByChance(uses: readonly UseOfOlder[]): Violation[] {
  const [first] = uses;
  const mayBeChance =
    uses.length === 1 && first && !answeredLongBefore(first.estimate, first.newest.request);
  return (mayBeChance ? [] : uses).map(({ estimate, token, newest }) => ({
    exchange: estimate.id,
    related: [newest.request.id],
    expected: `the newest user token, from ${newest.request.id}`,
    got: `the one from ${token.request.id}`,
  }));
}

/** The first refusal of each token since a newer one was issued elsewhere. */
function refusedElsewhere(
  { elsewhere }: Traffic,
  uses: readonly TokenUse[],
): Map<ReceivedToken, ParsedRequest> {
  const issuedMs = Math.min(...elsewhere.map(({ receivedMs }) => receivedMs));
  const refusals = new Map<ReceivedToken, ParsedRequest>();
  for (const { estimate, token } of uses) {
    const { status, whole } = estimate.answer;
    const isRefused = status !== 200 && whole && estimate.receivedMs >= issuedMs;
    if (isRefused && !refusals.has(token)) refusals.set(token, estimate);
  }
  return refusals;
}

function useAfterRefusal(
  refusals: ReadonlyMap<ReceivedToken, ParsedRequest>,
  { estimate, token }: TokenUse,
  knew: Knew,
): Violation | null {
  const refused = refusals.get(token);
  if (refused === undefined || !knew(estimate, refused)) return null;
  return {
    exchange: estimate.id,
    related: [refused.id],
    expected: `the token that was refused in ${refused.id} is not used again`,
    got: 'it is used again, although a newer one was issued elsewhere',
  };
}
