import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import {
  allowanceOf,
  knewAnswer,
  sentAccessToken,
  sentRefreshToken,
  succeeded,
} from './request-fields.ts';
import type { ReceivedToken, Traffic } from './traffic.ts';

/** A token shorter-lived than this may be replaced at any time, ms. */
export const SHORT_LIFE_MS = 120_000;
/** Time before its expiry in which a token may be replaced, ms. */
export const REPLACEMENT_MARGIN_MS = 600_000;

/** The token that an estimate request carries, if the client received it. */
export function tokenOf({ tokens }: Traffic, estimate: ParsedRequest): ReceivedToken | undefined {
  const sent = sentAccessToken(estimate);
  return tokens.find(({ accessToken }) => accessToken === sent);
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
  const replaced =
    allowance === 'refresh'
      ? tokens.find(({ refreshToken }) => sent !== null && refreshToken === sent)
      : tokens.findLast(
          (token) =>
            token.kind === allowance &&
            token.partnerId === request.authorization.partnerId &&
            knewAnswer(request, token.request),
        );
  return replaced ?? null;
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
