import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { GRACE_MS, grantOf } from '../traffic/request-fields.ts';
import { type Traffic, tokenOf } from '../traffic/traffic.ts';

/**
 * The requests that the service refused although no stimulus caused it and no rule explains it, such
 * as an estimate for an unknown product.
 *
 * @param broken ids of the exchanges that break a rule
 */
export function unexplainedRefusals(
  traffic: Traffic,
  broken: ReadonlySet<string>,
): ParsedRequest[] {
  return traffic.requests.filter(
    (request) =>
      isRefused(request) &&
      request.stimuli.length === 0 &&
      !broken.has(request.id) &&
      !isExpected(traffic, request),
  );
}

/** The first request that was refused because of its answer to a gap of the signature algorithm. */
export function refusalOfGap({ requests }: Traffic): ParsedRequest | undefined {
  return requests.find((request) => isRefused(request) && gapsOf(request).length > 0);
}

/** Gaps that the signature of a request answers otherwise than the reference server. */
export function gapsOf({ signature }: ParsedRequest): readonly string[] {
  return signature?.verdict === 'right' ? (signature.gaps ?? []) : [];
}

/** True for an auth code that yielded a token before (gap `auth-code-reuse`). */
export function reusesAuthCode({ requests }: Traffic, request: ParsedRequest): boolean {
  const codeOf = ({ token }: ParsedRequest): unknown => token?.fields['auth_code'];
  return requests
    .slice(0, requests.indexOf(request))
    .some((one) => one.answer.status === 200 && codeOf(one) && codeOf(one) === codeOf(request));
}

function isRefused({ kind, answer }: ParsedRequest): boolean {
  return kind !== 'other' && kind !== 'probe' && answer.whole && answer.status !== 200;
}

function isExpected(traffic: Traffic, request: ParsedRequest): boolean {
  if (gapsOf(request).length > 0) return true;
  return request.kind === 'token'
    ? followsStimulus(traffic, request)
    : isOfEndedToken(traffic, request);
}

/**
 * True for a token request that a stimulus may have caused: after an answer that was lost or refused,
 * a client may send an auth code again, or find its refresh_token used.
 */
function followsStimulus({ requests }: Traffic, request: ParsedRequest): boolean {
  if (grantOf(request) === 'client_credentials') return false;
  return requests
    .slice(0, requests.indexOf(request))
    .some(({ stimuli }) => stimuli.some((kind) => kind !== 'carpool' && kind !== 'unknown-fields'));
}

/** True for an estimate with a token at its end, or with one that a newer user token had replaced. */
function isOfEndedToken(traffic: Traffic, estimate: ParsedRequest): boolean {
  const token = tokenOf(traffic, estimate);
  if (token === undefined) return false;
  // The service issued the token before the last byte of the answer, and may answer an estimate late.
  const earliestEndMs = token.request.receivedMs + token.lifeMs;
  const answeredMs = estimate.finishedMs ?? estimate.receivedMs;
  if (answeredMs >= earliestEndMs - GRACE_MS) return true;
  // The answer may have been lost: then the client does not have the newer token.
  const issued = traffic.tokenRequests.filter(({ answer }) => answer.status === 200);
  return (
    token.kind === 'user' &&
    [...issued, ...traffic.elsewhere].some(
      ({ id, receivedMs }) =>
        id !== token.request.id &&
        receivedMs >= token.request.receivedMs &&
        receivedMs <= estimate.receivedMs,
    )
  );
}
