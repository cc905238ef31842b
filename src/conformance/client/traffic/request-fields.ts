import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import {
  ALLOWANCE_OF_GRANT,
  type AllowanceKind,
  GRANT_TYPES,
  type GrantType,
} from '../../../interface/limits.ts';

/** Tolerance for clock differences and for requests in flight, ms. */
export const GRACE_MS = 250;

/** The grant that a token request names; null if it is not a documented one. */
export function grantOf({ token }: ParsedRequest): GrantType | null {
  const grant = token?.fields['grant_type'];
  return GRANT_TYPES.find((type) => type === grant) ?? null;
}

/** The allowance that a token request counts against; null without a documented grant. */
export function allowanceOf(request: ParsedRequest): AllowanceKind | null {
  const grant = grantOf(request);
  return grant === null ? null : ALLOWANCE_OF_GRANT[grant];
}

/** The refresh_token that a request sends, as a pseudonym. */
export function sentRefreshToken(request: ParsedRequest): string | null {
  const sent = grantOf(request) === 'refresh_token' ? request.token?.fields['refresh_token'] : null;
  return typeof sent === 'string' && sent !== '' ? sent : null;
}

/** The access token that an estimate request carries, as a pseudonym. */
export function sentAccessToken({ authorization }: ParsedRequest): string | null {
  return authorization.userToken ?? (authorization.form === 'pair' ? authorization.second : null);
}

/** True for a whole answer 200 in JSON. */
export function succeeded({ answer }: ParsedRequest): boolean {
  return answer.status === 200 && answer.whole && answer.isJson;
}

/** True if the service itself refused a request, in a whole answer. */
export function isRefused({ answer, stimuli }: ParsedRequest): boolean {
  return answer.status !== 200 && answer.whole && stimuli.length === 0;
}

/**
 * True if a client had an earlier answer when it sent a request. One that overlaps with others may
 * have been sent before the answer, by another thread, if it arrives within {@link GRACE_MS} of it.
 */
export function knewAnswer(request: ParsedRequest, earlier: ParsedRequest): boolean {
  return request.overlaps === false
    ? isEarlier(earlier, request)
    : answeredLongBefore(request, earlier);
}

/** True if a request arrives more than {@link GRACE_MS} after an earlier one was answered. */
export function answeredLongBefore(request: ParsedRequest, earlier: ParsedRequest): boolean {
  return (earlier.finishedMs ?? earlier.receivedMs) + GRACE_MS < request.receivedMs;
}

/** True if a request arrived before another one; their ids count them. */
function isEarlier(one: ParsedRequest, other: ParsedRequest): boolean {
  const number = ({ id }: ParsedRequest): number => Number(id.slice(1));
  return one.receivedMs === other.receivedMs
    ? number(one) < number(other)
    : one.receivedMs < other.receivedMs;
}
