import { allowanceOf } from './request-fields.ts';
import { replacedBy, type Traffic } from './traffic.ts';

/**
 * True if a client replaces its platform tokens by new ones before their end, which it may within its
 * allowance: it has no reason to refresh any.
 */
export function replacesEarly(traffic: Traffic): boolean {
  const replacements = traffic.tokenRequests.flatMap((request) => {
    const token = replacedBy(traffic, request);
    return token?.kind === 'platform' ? { request, token } : [];
  });
  return (
    replacements.length > 0 &&
    replacements.every(
      ({ request, token }) =>
        allowanceOf(request) === 'platform' && request.receivedMs <= token.expiresMs,
    )
  );
}
