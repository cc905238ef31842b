import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import type { ScenarioFrame } from '../../../documents/scenario.ts';
import { ALLOWANCE_PER_DAY } from '../../../interface/limits.ts';
import {
  allowanceOf,
  knewAnswer,
  sentAccessToken,
  sentRefreshToken,
  succeeded,
} from './request-fields.ts';

/** A client's requests in one scenario, or while listening, with the tokens that it received. */
export interface Traffic {
  /** Null while listening. */
  readonly scenario: ScenarioFrame | null;
  /** True if every token that the client can have is in this traffic. */
  readonly complete: boolean;
  /** Requests of the client, in the order received. */
  readonly requests: readonly ParsedRequest[];
  readonly tokenRequests: readonly ParsedRequest[];
  readonly estimates: readonly ParsedRequest[];
  readonly tokens: readonly ReceivedToken[];
  /** Requests that the scenario sent as another system of the partner. */
  readonly elsewhere: readonly ParsedRequest[];
  /** Requests of the client to another origin, which a redirect named; in no other list. */
  readonly redirected: readonly ParsedRequest[];
  /** Platform tokens that the client uses in turn where it requests estimates enough for all. */
  readonly poolSize: number;
  /** Times by which this machine's clock was set at some moment of the run, ms; 0 is one. */
  readonly clockSetsMs: readonly number[];
}

/** Facts that a record alone does not show. */
export interface TrafficFrame {
  /** Platform tokens that the client uses in turn; 0 by default. */
  readonly poolSize?: number;
  /** Left out, this machine's clock was not set. */
  readonly clockSetsMs?: readonly number[];
}

/** Times by which this machine's clock was set at some moment of requests, ms; 0 is one. */
export function clockSetsOf(requests: readonly ParsedRequest[]): readonly number[] {
  return [...new Set([0, ...requests.map(({ clockSetByMs }) => clockSetByMs ?? 0)])];
}

/** Sorts requests by sender and purpose, and collects the tokens received. */
export function trafficOf(
  all: readonly ParsedRequest[],
  scenario: ScenarioFrame | null,
  complete: boolean,
  { poolSize = 0, clockSetsMs = [0] }: TrafficFrame = {},
): Traffic {
  const ordered = [...all].sort((a, b) => a.receivedMs - b.receivedMs);
  const ofClient = ordered.filter(({ sender, kind }) => sender === 'client' && kind !== 'probe');
  const requests = ofClient.filter(({ isRedirected }) => !isRedirected);
  return {
    scenario,
    complete,
    requests,
    tokenRequests: requests.filter(({ kind }) => kind === 'token'),
    estimates: requests.filter(({ kind }) => kind === 'estimate'),
    tokens: receivedTokens(requests),
    elsewhere: ordered.filter(({ sender }) => sender === 'elsewhere'),
    redirected: ofClient.filter(({ isRedirected }) => isRedirected),
    poolSize,
    clockSetsMs,
  };
}

/** Processes of the client in a scenario, side by side and one after the other. */
export function processesOf(scenario: ScenarioFrame | null): number {
  return (scenario?.processes ?? 1) * (scenario?.runs ?? 1);
}

/** A token that the client received whole; the texts are pseudonyms. */
export interface ReceivedToken {
  readonly kind: 'platform' | 'user';
  /** Tokens are only compared with others of the same partner. */
  readonly partnerId: string | null;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** The request whose answer brought it. */
  readonly request: ParsedRequest;
  /** Time of the answer's last byte, server clock, ms since the epoch. */
  readonly receivedMs: number;
  readonly expiresMs: number;
  readonly lifeMs: number;
  /** The token that was refreshed; null for a first one. */
  readonly from: ReceivedToken | null;
}

/** Collects the tokens of successful answers, each linked to the one that it was refreshed from. */
function receivedTokens(requests: readonly ParsedRequest[]): ReceivedToken[] {
  const tokens: ReceivedToken[] = [];
  for (const request of requests) {
    const { accessToken, refreshToken, expiresInS } = request.answer;
    if (request.kind !== 'token' || !succeeded(request) || accessToken === null) continue;
    const sent = sentRefreshToken(request);
    const from = tokens.find((token) => sent !== null && token.refreshToken === sent) ?? null;
    const receivedMs = request.finishedMs ?? request.receivedMs;
    const lifeMs = (expiresInS ?? 0) * 1000;
    tokens.push({
      kind: from?.kind ?? (allowanceOf(request) === 'user' ? 'user' : 'platform'),
      partnerId: request.authorization.partnerId,
      accessToken,
      refreshToken,
      request,
      receivedMs,
      expiresMs: receivedMs + lifeMs,
      lifeMs,
      from,
    });
  }
  return tokens;
}

/** True if a token was obtained from another one by one or more refreshes. */
export function descends(token: ReceivedToken, ancestor: ReceivedToken): boolean {
  for (let one = token.from; one !== null; one = one.from) if (one === ancestor) return true;
  return false;
}

/** A token shorter-lived than this may be replaced at any time, ms. */
export const SHORT_LIFE_MS = 120_000;
/** Time before its expiry in which a token may be replaced, ms. */
export const REPLACEMENT_MARGIN_MS = 600_000;

/** The token that an estimate request carries, if the client received it. */
export function tokenOf({ tokens }: Traffic, estimate: ParsedRequest): ReceivedToken | undefined {
  const sent = sentAccessToken(estimate);
  return tokens.find(({ accessToken }) => accessToken === sent);
}

/**
 * The number of platform tokens that the client uses in turn: those from the oldest on that it still uses once the
 * last of them has been used first. Null where each was used for one estimate, and a day's allowance covers them:
 * then there may be more than were needed.
 */
export function tokensInTurn(traffic: Traffic): number | null {
  const estimates = traffic.estimates.filter((one) => tokenOf(traffic, one)?.kind === 'platform');
  const used = estimates.flatMap((estimate) => tokenOf(traffic, estimate) ?? []);
  const requested = traffic.tokenRequests.filter((one) => allowanceOf(one) === 'platform');
  const isReused = used.some(
    (token, at) => succeeded(estimates[at]!) && used.includes(token, at + 1),
  );
  if (!isReused && requested.length <= ALLOWANCE_PER_DAY.platform) return null;
  const tokens = [...new Set(used)];
  const [last] = tokens.slice(-1);
  const stillUsed = last ? used.slice(used.indexOf(last)).map((one) => tokens.indexOf(one)) : [];
  return tokens.length - Math.min(tokens.length, ...stillUsed);
}

/**
 * True if a text that a client sent for a token is none that it can have: another one is judged by
 * `client/failure-handled`, or may be from before.
 */
export function isUnreceived(
  { requests, complete }: Traffic,
  kind: 'accessToken' | 'refreshToken',
  sent: string | null,
): boolean {
  return (
    complete &&
    !requests.some(({ answer: { status, ...of } }) => status !== 200 && of[kind] === sent)
  );
}

/** The estimate requests that carry a token. */
export function estimatesWith({ estimates }: Traffic, token: ReceivedToken): ParsedRequest[] {
  return estimates.filter((estimate) => sentAccessToken(estimate) === token.accessToken);
}

/**
 * The token that a token request replaces: for a refresh the one that it refreshes, otherwise the
 * newest of the same kind that the client had by then.
 */
export function replacedBy({ tokens }: Traffic, request: ParsedRequest): ReceivedToken | null {
  const allowance = allowanceOf(request);
  const sent = sentRefreshToken(request);
  if (allowance === 'refresh') {
    return tokens.find(({ refreshToken }) => sent !== null && refreshToken === sent) ?? null;
  }
  const isNewest = ({ kind, partnerId, request: source }: ReceivedToken): boolean =>
    kind === allowance &&
    partnerId === request.authorization.partnerId &&
    knewAnswer(request, source);
  return tokens.findLast(isNewest) ?? null;
}

/**
 * True if a failure may be why a client replaces a token: an estimate with the token failed, or the
 * request repeats a token request that failed.
 */
export function followsFailure(
  { estimates, tokenRequests, tokens }: Traffic,
  token: ReceivedToken,
  request: ParsedRequest,
): boolean {
  const isOtherToken = (sent: string | null): boolean =>
    sent !== token.accessToken && tokens.some(({ accessToken }) => accessToken === sent);
  const hasFailed = estimates.some(
    (estimate) =>
      estimate.answer.status !== 200 &&
      estimate.receivedMs >= token.receivedMs &&
      estimate.receivedMs <= request.receivedMs &&
      !isOtherToken(sentAccessToken(estimate)),
  );
  const previous = tokenRequests[tokenRequests.indexOf(request) - 1];
  const isRetry =
    previous !== undefined && previous.receivedMs >= token.receivedMs && !succeeded(previous);
  return hasFailed || isRetry;
}
