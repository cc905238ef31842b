import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import type { ScenarioFrame } from '../../../documents/scenario.ts';
import { allowanceOf, sentRefreshToken, succeeded } from './request-fields.ts';

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
}

/** Sorts requests by sender and purpose, and collects the tokens received. */
export function trafficOf(
  all: readonly ParsedRequest[],
  scenario: ScenarioFrame | null,
  complete: boolean,
): Traffic {
  const ordered = [...all].sort((a, b) => a.receivedMs - b.receivedMs);
  const requests = ordered.filter(({ sender, kind }) => sender === 'client' && kind !== 'probe');
  return {
    scenario,
    complete,
    requests,
    tokenRequests: requests.filter(({ kind }) => kind === 'token'),
    estimates: requests.filter(({ kind }) => kind === 'estimate'),
    tokens: receivedTokens(requests),
    elsewhere: ordered.filter(({ sender }) => sender === 'elsewhere'),
  };
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
