import type { ErrorCondition, ServiceRuleId } from '../../../interface/index.ts';
import type { EstimateAuthorization } from '../authorization.ts';
import { Refusal } from '../messages.ts';
import type { Partner, Partners } from '../state/partners.ts';
import type { Grant, Tokens } from '../state/tokens.ts';

/** The state that credentials are checked against. */
export interface AuthorizationState {
  readonly partners: Partners;
  readonly tokens: Tokens;
}

/** The use of an access_token by an estimate request. */
export interface TokenUse {
  readonly partner: Partner;
  /** True if the request carries a signature, as the user's header does. */
  readonly isSigned: boolean;
}

type Reason = readonly [rule: ServiceRuleId, message: string, condition?: ErrorCondition];

const REASONS = {
  unknown: ['auth/unknown-token', 'The access_token is not known.'],
  'other-partner': ['auth/token-of-partner', 'The access_token is not this partner’s.'],
  expired: [
    'lifecycle/access-token-expires',
    'The access_token has expired; refresh it.',
    'access-token-expired',
  ],
  superseded: ['lifecycle/user-token-newest-only', 'The access_token was replaced by a newer one.'],
  ended: ['lifecycle/refresh-single-use', 'The access_token was ended.'],
  'platform-token-signed': [
    'estimate/user',
    'The access_token is not a user token, as its header says.',
  ],
  'user-token-unsigned': [
    'estimate/user',
    'The access_token is a user token and needs a signature.',
  ],
  'not-public': ['auth/scope-public', 'The token needs the scope public.', 'scope-insufficient'],
} as const satisfies Record<string, Reason>;

/** Reason for which an access_token is refused. */
export type TokenObjection = keyof typeof REASONS;

/**
 * Judges an access_token (interface.md, "States and transitions", "Authentication" and "Scope
 * values"); null for one that gives the right to an estimate. Both the estimate endpoint and the
 * fast path use this judgement, and no other.
 *
 * @param grant undefined for a token that is not known
 * @param allowsUnsigned whether a user's token is accepted in the platform's header (gap
 * `user-token-platform-header`)
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

/**
 * Checks partner and access_token of an estimate request; returns the partner.
 *
 * @param allowsUnsigned as for {@link objectionTo}
 * @throws Refusal `partner-unknown`, `access-token-invalid`, `access-token-expired` or
 * `scope-insufficient`
 */
export function authorize(
  { partnerId, signature, accessToken }: EstimateAuthorization,
  { partners, tokens }: AuthorizationState,
  allowsUnsigned: boolean,
  nowMs: number,
): Partner {
  const field = 'Authorization';
  const partner = partners.find(partnerId);
  if (!partner) throw new Refusal('partner-unknown', 'No partner has this id.', { field });
  const use = { partner, isSigned: signature !== null };
  const objection = objectionTo(tokens.findAccess(accessToken), use, allowsUnsigned, nowMs);
  if (objection === null) return partner;
  const [rule, message, condition = 'access-token-invalid']: Reason = REASONS[objection];
  throw new Refusal(condition, message, { field, rule });
}
