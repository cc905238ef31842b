import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { connectionsAtOnce, sendsAhead } from '../traffic/concurrency.ts';
import { answeredLongBefore, knewAnswer, sentRefreshToken } from '../traffic/request-fields.ts';
import {
  descends,
  isUnreceived,
  type ReceivedToken,
  type Traffic,
  tokenOf,
} from '../traffic/traffic.ts';
import type { CheckOutcome, Violation } from './check.ts';

interface Refresh {
  readonly request: ParsedRequest;
  readonly sent: string;
}

function judgeRefreshes(
  { tokenRequests }: Traffic,
  passed: string,
  places: (refreshes: readonly Refresh[]) => Pick<CheckOutcome, 'violations' | 'warnings'>,
): CheckOutcome {
  const refreshes = tokenRequests.flatMap((request): Refresh | [] => {
    const sent = sentRefreshToken(request);
    return sent === null ? [] : { request, sent };
  });
  const judged = refreshes.map(({ request }) => request.id);
  return { ...places(refreshes), judged, passed, missing: 'no refresh was sent' };
}

/** Use of refresh_tokens (interface.md, "Token response body"). */
export function judgeSingleUse(traffic: Traffic): CheckOutcome {
  return judgeRefreshes(traffic, 'each refresh_token is sent once', (refreshes) => {
    const again = refreshes.flatMap((refresh, at) => {
      const earlier = refreshes.slice(0, at).filter(({ sent }) => sent === refresh.sent);
      return earlier.length === 0 ? [] : sentAgain(refresh, earlier);
    });
    return {
      violations: again.flatMap(({ isUnused, place }) => (isUnused ? [] : place)),
      warnings: again.flatMap(({ isUnused, place }) => (isUnused ? place : [])),
    };
  });
}

/** A refresh_token that is sent again; it is unused if each earlier request had been refused by then. */
function sentAgain(
  { request, sent }: Refresh,
  earlier: readonly Refresh[],
): { readonly place: Violation; readonly isUnused: boolean } {
  const used = earlier.find((one) => !wasRefused(one.request, request));
  const first = (used ?? earlier[0] ?? { request }).request;
  const { whole, status } = first.answer;
  const fate =
    used === undefined
      ? `, which was refused with ${status}`
      : whole
        ? ''
        : ', whose response was lost';
  return {
    isUnused: used === undefined,
    place: {
      exchange: request.id,
      related: [first.id],
      expected: 'a refresh_token is sent once',
      got: `${sent} a second time, after ${first.id}${fate}`,
    },
  };
}

/** True if an earlier request was refused before the next one came. */
function wasRefused({ answer, finishedMs }: ParsedRequest, { receivedMs }: ParsedRequest): boolean {
  const isRefused = answer.whole && answer.status !== null && answer.status !== 200;
  return isRefused && finishedMs !== null && finishedMs <= receivedMs;
}

/** Use of refresh_tokens (interface.md, "Token response body"). */
export function judgeNewestRefresh(traffic: Traffic): CheckOutcome {
  const expected = 'the newest refresh_token that it received';
  return judgeRefreshes(traffic, 'the refresh_token sent is the newest one', (refreshes) => ({
    violations: refreshes.flatMap((refresh) => {
      const got = notNewest(traffic, refresh);
      return got === null ? [] : { exchange: refresh.request.id, expected, got };
    }),
  }));
}

function notNewest(traffic: Traffic, { request, sent }: Refresh): string | null {
  const { tokens } = traffic;
  const owner = tokens.find(({ refreshToken }) => refreshToken === sent);
  if (owner === undefined) {
    if (!isUnreceived(traffic, 'refreshToken', sent)) return null;
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

/** An estimate request and the user token that it carries. */
interface TokenUse {
  readonly estimate: ParsedRequest;
  readonly token: ReceivedToken;
}

/** Exchanges that tell a client that a user token is no longer the newest. */
interface Supersession {
  /** Requests that brought a newer token. */
  readonly newer: readonly ParsedRequest[];
  /** Estimates that were refused with the token since a newer one was issued. */
  readonly refusals: readonly ParsedRequest[];
}

/** A use of a user token though the client had a newer one. */
interface LateUse extends TokenUse {
  readonly violation: Violation;
  /** True if the connection that the request came over had carried the news. */
  readonly isTold: boolean;
}

/** Use of user tokens: only the newest is valid (interface.md, "States and transitions"). */
export function judgeNewestUserToken(traffic: Traffic): CheckOutcome {
  const uses = traffic.estimates.flatMap((estimate): TokenUse | [] => {
    const token = tokenOf(traffic, estimate);
    return token?.kind === 'user' ? { estimate, token } : [];
  });
  const supersessions = new Map(
    uses.map(({ token }) => [token, supersessionOf(traffic, uses, token)]),
  );
  const knew = sendsAhead(traffic) ? answeredLongBefore : knewAnswer;
  const late = uses.flatMap((use) => lateUse(use, supersessions.get(use.token), knew) ?? []);
  const lateEstimates = late.map(({ estimate }) => estimate);
  const again = Array.from(supersessions, ([token, { refusals }]) => {
    const own = uses.filter((use) => use.token === token).map(({ estimate }) => estimate);
    const others = own.filter((estimate) => !lateEstimates.includes(estimate));
    return usesAfterRefusal(traffic, others, refusals, knew);
  });
  const first = traffic.tokens.find(({ kind }) => kind === 'user');
  const laterUses = uses.filter(({ token }) => token !== first);
  const refused = [...supersessions.values()].flatMap(({ refusals }) => refusals.slice(0, 1));
  return {
    violations: [...unlessUntold(traffic, late), ...again.flatMap(({ certain }) => certain)],
    warnings: again.flatMap(({ early }) => early),
    judged: [...laterUses.map(({ estimate }) => estimate), ...refused].map(({ id }) => id),
    passed: 'only the newest user token is used',
    missing: 'no estimate was requested after a newer user token was issued',
  };
}

/** Refusals of a token after which a client must know that it was superseded: no status says so. */
const TELLING_REFUSALS = 2;

/**
 * The uses of a token after its refusals, elsewhere superseded: certain once two had ended a grace before, but
 * for one of each other connection, whose thread may not know of them; early ones after the first refusal.
 */
function usesAfterRefusal(
  traffic: Traffic,
  uses: readonly ParsedRequest[],
  refusals: readonly ParsedRequest[],
  knew: Knew,
): { readonly certain: readonly Violation[]; readonly early: readonly Violation[] } {
  const spared = Math.max(0, connectionsAtOnce(traffic) - 1);
  const placeOf = (estimate: ParsedRequest, refused: readonly ParsedRequest[]): Violation => ({
    exchange: estimate.id,
    related: refused.map(({ id }) => id),
    expected: `the token that was refused in ${refused[0]?.id} is not used again`,
    got: `it is used again after ${refused.length === 1 ? 'a refusal' : `${refused.length} refusals`}, although a newer one was issued elsewhere`,
  });
  const certain: Violation[] = [];
  const early: Violation[] = [];
  for (const estimate of uses) {
    const before = refusals.filter((one) => one !== estimate);
    const ended = before.filter((one) => answeredLongBefore(estimate, one));
    const known = before.filter((one) => knew(estimate, one));
    if (ended.length >= TELLING_REFUSALS) certain.push(placeOf(estimate, ended));
    else if (known.length > 0) early.push(placeOf(estimate, known));
  }
  return { certain: certain.slice(spared), early: spared > 0 ? [] : early };
}

function supersessionOf(
  { tokens, complete, elsewhere }: Traffic,
  uses: readonly TokenUse[],
  token: ReceivedToken,
): Supersession {
  const newer = tokens.filter(
    (one) =>
      one.kind === 'user' &&
      one.partnerId === token.partnerId &&
      one.receivedMs > token.receivedMs &&
      // With auth codes that are not ours, the two may be tokens of two users.
      (complete || descends(one, token)),
  );
  const issued = [...newer.map(({ request }) => request), ...elsewhere].filter(
    ({ receivedMs }) => receivedMs >= token.request.receivedMs,
  );
  const sinceMs = Math.min(...issued.map(({ receivedMs }) => receivedMs));
  const refusals = uses.flatMap(({ estimate, token: used }) => {
    const { answer, stimuli, receivedMs } = estimate;
    const isRefused = answer.status !== 200 && answer.whole && !stimuli.includes('failure');
    return used === token && isRefused && receivedMs >= sinceMs ? estimate : [];
  });
  return { newer: newer.map(({ request }) => request), refusals };
}

/** True if a client had an earlier answer when it sent a request. */
type Knew = (request: ParsedRequest, earlier: ParsedRequest) => boolean;

function lateUse(
  { estimate, token }: TokenUse,
  { newer, refusals }: Supersession = { newer: [], refusals: [] },
  knew: Knew,
): LateUse | null {
  const known = (earlier: ParsedRequest): boolean =>
    earlier !== estimate && knew(estimate, earlier);
  const newest = newer.findLast(known);
  if (newest === undefined) return null;
  const isTold = [...newer, ...refusals].some(
    (one) => one.connection === estimate.connection && known(one),
  );
  const expected = `the newest user token, from ${newest.id}`;
  const got = `the one from ${token.request.id}`;
  const violation = { exchange: estimate.id, related: [newest.id], expected, got };
  return { estimate, token, isTold, violation };
}

/**
 * Leaves out what threads and processes that share a token may do: each may have taken the token before
 * it was superseded, and use it once on a connection of its own. A client that never had two connections
 * at once has only one thread: its one use may be due to chance.
 */
function unlessUntold(traffic: Traffic, late: readonly LateUse[]): Violation[] {
  const untold = late.filter(({ isTold }) => !isTold);
  const connections = new Set(untold.map(({ estimate }) => estimate.connection));
  const atOnce = connectionsAtOnce(traffic);
  const isOnceEach = untold.length === connections.size;
  const isExcused = isOnceEach && untold.length <= Math.max(1, atOnce - 1);
  return late.flatMap(({ violation, isTold }) => {
    if (isTold || !isExcused) return violation;
    return atOnce > 1 ? [] : { ...violation, mayBeChance: true };
  });
}
