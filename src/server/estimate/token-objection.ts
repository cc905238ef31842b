import type { Partner } from '../state/partners.ts';
import type { Grant } from '../state/tokens.ts';

/** The use of an access_token by an estimate request. */
export interface TokenUse {
  readonly partner: Partner;
  /** True if the request carries a signature, as the user's header does. */
  readonly isSigned: boolean;
}

/** Reason for which an access_token is refused. */
export type TokenObjection =
  | 'unknown'
  | 'other-partner'
  | 'expired'
  | 'superseded'
  | 'ended'
  | 'platform-token-signed'
  | 'user-token-unsigned'
  | 'not-public';

/**
 * Judges an access_token; null for one that gives the right to an estimate. Both the estimate endpoint
 * and the fast path use this judgement, and no other.
 *
 * @param grant undefined for a token that is not known
 * @param allowsUnsigned whether a user's token is accepted in the platform's header (gap
 * `user-token-platform-header`)
 * @see interface.md, "States and transitions", "Authentication" and "Scope values"
 */
export function objectionTo(
  grant: Grant | undefined,
  { partner, isSigned }: TokenUse,
  allowsUnsigned: boolean,
  nowMs: number,
): TokenObjection | null {
  if (grant === undefined) return 'unknown';
  if (grant.partner !== partner) return 'other-partner';
  if (nowMs >= grant.accessExpiresAtMs) return 'expired';
  if (grant.superseded) return 'superseded';
  if (grant.family.ended) return 'ended';
  const isUserToken = grant.userId !== null;
  if (isSigned && !isUserToken) return 'platform-token-signed';
  if (!isSigned && isUserToken && !allowsUnsigned) return 'user-token-unsigned';
  return grant.isPublic ? null : 'not-public';
}
