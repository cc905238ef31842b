import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import type { EstimateAttempt, TokenAttempt } from '../contract/messages.ts';
import type { WireRequest } from '../http/message.ts';
import type { Signer } from './signing.ts';

/** Attempt of an estimate, its access token chosen. */
export type AuthorizedEstimate = EstimateAttempt & { readonly accessToken: string };

/** Builds a token request, signed by the rules where the attempt does not say otherwise. */
export function buildTokenRequest(
  attempt: TokenAttempt,
  partnerId: string,
  signer: Signer,
  baseUrl: string,
): { readonly request: WireRequest; readonly signature: string } {
  const { signature = signatureOf(attempt, signer), authorization = bearer } = attempt;
  const header = authorization?.(partnerId, signature);
  const request = {
    method: 'POST',
    url: baseUrl + TOKEN_PATH,
    headers: {
      'content-type': attempt.contentType ?? 'application/json',
      ...(header === undefined ? {} : { authorization: header }),
    },
    body: attempt.body ?? JSON.stringify(attempt.fields),
    gate: attempt.gate,
    ownConnection: true,
  };
  return { request, signature };
}

function signatureOf(
  { signedText, signed, fields, signingKey }: TokenAttempt,
  signer: Signer,
): string {
  return signedText === undefined
    ? signer.sign(signed ?? fields, signingKey)
    : signer.signText(signedText, signingKey);
}

/** Builds an estimate request with the header of a platform's or a user's estimate. */
export function buildEstimateRequest(
  attempt: AuthorizedEstimate,
  partnerId: string,
  signer: Signer,
  baseUrl: string,
): { readonly request: WireRequest; readonly signature: string | null } {
  const { accessToken, authorization, contentType } = attempt;
  const signature =
    attempt.as === 'user'
      ? (attempt.signature ?? signer.signEstimate(attempt.query, attempt.signingKey))
      : null;
  const credentials = signature === null ? accessToken : `${signature} openid|${accessToken}`;
  const header = (authorization === undefined ? bearer : authorization)?.(partnerId, credentials);
  const query = Object.entries(attempt.query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const request = {
    method: attempt.method ?? 'GET',
    url: `${baseUrl}${attempt.path ?? ESTIMATES_PATH}?${query}`,
    headers: {
      ...(contentType === false ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(header === undefined ? {} : { authorization: header }),
    },
    body: null,
  };
  return { request, signature };
}

function bearer(partnerId: string, second: string): string {
  return `Bearer ${partnerId}|${second}`;
}
