import {
  ALLOWANCE_OF_GRANT,
  type AllowanceKind,
  type GrantType,
} from '../../../interface/limits.ts';
import type { ParsedRequest } from './parsed-request.ts';

/** How a client was asked to behave, and how that ended; null where it runs on its own. */
export interface ScenarioFrame {
  readonly name: string;
  readonly mode: 'platform' | 'user';
  /** Estimates that it was asked for. */
  readonly estimates: number;
  /** Estimate requests below which it stopped short. */
  readonly atLeast: number;
  /** What the server does to it on purpose, in order: kind and words, whether it came to it. */
  readonly stimuli: readonly PlannedStimulus[];
  /** `time-limit`: it was ended from outside. */
  readonly ended: 'by-itself' | 'time-limit' | 'interrupted';
  /** When its process ended, by the server's clock, in milliseconds. */
  readonly endedMs: number;
  /** The rule that a client breaks which stops short once the stimulus came. */
  readonly goesOnRule: string | null;
  /** Whether the end of the first token's life is what the scenario waits for. */
  readonly outlivesToken: boolean;
  /** Whether a client that goes on until the time limit is in order. */
  readonly mayOutlast: boolean;
}

/** Something the server does on purpose. */
export interface PlannedStimulus {
  readonly kind: ParsedRequest['stimuli'][number];
  /** What has to come from the client first: "a refresh", "the third estimate". */
  readonly waitsFor: string;
  /** Id of the exchange in which it was given; null where the client never came to it. */
  readonly given: string | null;
}

/** A token that the client received whole. */
export interface ReceivedToken {
  readonly kind: 'platform' | 'user';
  /** Tokens of one partner say nothing about those of another. */
  readonly partnerId: string | null;
  /** Pseudonyms. */
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly request: ParsedRequest;
  /** When its last byte was out. */
  readonly receivedMs: number;
  readonly expiresMs: number;
  readonly lifeMs: number;
  /** The token whose refresh_token brought it; null for a first one. */
  readonly from: ReceivedToken | null;
}

/** What the clocks of the two sides, and a request on its way, are granted. */
export const GRACE_MS = 250;

/** A client's requests in one scenario, or while it was listened to, with the lineage of its tokens. */
export interface Traffic {
  readonly scenario: ScenarioFrame | null;
  /** Whether the client could have no token from before. */
  readonly complete: boolean;
  /** The client's own, in order of their requests. */
  readonly requests: readonly ParsedRequest[];
  readonly tokenRequests: readonly ParsedRequest[];
  readonly estimates: readonly ParsedRequest[];
  readonly tokens: readonly ReceivedToken[];
  /** Requests that others sent in the client's place. */
  readonly elsewhere: readonly ParsedRequest[];
  /** When nothing more was seen, by the server's clock, in milliseconds. */
  readonly endMs: number;
}

/** Builds the lineage of tokens from what was observed. */
export function trafficOf(
  observed: readonly ParsedRequest[],
  scenario: ScenarioFrame | null,
  complete: boolean,
): Traffic {
  const ordered = [...observed].sort((a, b) => a.receivedMs - b.receivedMs);
  const requests = ordered.filter(({ sender, kind }) => sender === 'client' && kind !== 'probe');
  return {
    scenario,
    complete,
    requests,
    tokenRequests: requests.filter(({ kind }) => kind === 'token'),
    estimates: requests.filter(({ kind }) => kind === 'estimate'),
    tokens: tokensOf(requests),
    elsewhere: ordered.filter(({ sender }) => sender === 'elsewhere'),
    endMs: Math.max(0, ...ordered.map(({ receivedMs, finishedMs }) => finishedMs ?? receivedMs)),
  };
}

/** The grant that a token request names; null for none of the three. */
export function grantOf({ token }: ParsedRequest): GrantType | null {
  const grant = token?.fields['grant_type'];
  return isGrant(grant) ? grant : null;
}

/** The allowance that a token request draws on; null where its grant is none of the three. */
export function allowanceOf(request: ParsedRequest): AllowanceKind | null {
  const grant = grantOf(request);
  return grant === null ? null : ALLOWANCE_OF_GRANT[grant];
}

/** The refresh_token that a request sends, as a pseudonym. */
export function sentRefreshToken(request: ParsedRequest): string | null {
  const sent = grantOf(request) === 'refresh_token' ? request.token?.fields['refresh_token'] : null;
  return typeof sent === 'string' && sent !== '' ? sent : null;
}

/** The access token that an estimate carries, as a pseudonym. */
export function sentAccessToken({ authorization }: ParsedRequest): string | null {
  return authorization.userToken ?? (authorization.form === 'pair' ? authorization.second : null);
}

/** Whether an answer came whole, with status 200 and readable. */
export function succeeded({ answer }: ParsedRequest): boolean {
  return answer.status === 200 && answer.whole && answer.isJson;
}

/** Whether a token came of another by one refresh or several. */
export function descends(token: ReceivedToken, from: ReceivedToken): boolean {
  for (let one = token.from; one !== null; one = one.from) if (one === from) return true;
  return false;
}

/**
 * Whether a client knew an answer when it sent a request: one that was on its way while the answer
 * came may have been sent before it, as several threads do.
 */
export function knewAnswer(request: ParsedRequest, earlier: ParsedRequest): boolean {
  return (earlier.finishedMs ?? earlier.receivedMs) + GRACE_MS < request.receivedMs;
}

function isGrant(value: unknown): value is GrantType {
  return typeof value === 'string' && Object.hasOwn(ALLOWANCE_OF_GRANT, value);
}

function tokensOf(requests: readonly ParsedRequest[]): ReceivedToken[] {
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
