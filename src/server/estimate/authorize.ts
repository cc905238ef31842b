import type { ErrorCondition, ServiceRuleId } from '../../interface/index.ts';
import type { EstimateAuthorization } from '../authorization.ts';
import { Refusal } from '../refusal.ts';
import type { Partner, Partners } from '../state/partners.ts';
import type { Tokens } from '../state/tokens.ts';
import { objectionTo, type TokenObjection } from './token-objection.ts';

/** The state that credentials are checked against. */
export interface AuthorizationState {
  readonly partners: Partners;
  readonly tokens: Tokens;
}

type Reason = readonly [condition: ErrorCondition, message: string, rule: ServiceRuleId];

const INVALID = 'access-token-invalid';

const REASONS: Readonly<Record<TokenObjection, Reason>> = {
  unknown: [INVALID, 'The access_token is not known.', 'auth/unknown-token'],
  'other-partner': [INVALID, 'The access_token is not this partner’s.', 'auth/token-of-partner'],
  expired: [
    'access-token-expired',
    'The access_token has expired; refresh it.',
    'lifecycle/access-token-expires',
  ],
  superseded: [
    INVALID,
    'The access_token was replaced by a newer one.',
    'lifecycle/user-token-newest-only',
  ],
  ended: [INVALID, 'The access_token was ended.', 'lifecycle/refresh-single-use'],
  'platform-token-signed': [
    INVALID,
    'The access_token is not a user token, as its header says.',
    'estimate/user',
  ],
  'user-token-unsigned': [
    INVALID,
    'The access_token is a user token and needs a signature.',
    'estimate/user',
  ],
  'not-public': ['scope-insufficient', 'The token needs the scope public.', 'auth/scope-public'],
};

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
  const partner = partners.find(partnerId);
  if (partner === undefined) {
    throw new Refusal('partner-unknown', 'No partner has this id.', { field: 'Authorization' });
  }
  const use = { partner, isSigned: signature !== null };
  const objection = objectionTo(tokens.findAccess(accessToken), use, allowsUnsigned, nowMs);
  if (objection === null) return partner;
  const [condition, message, rule] = REASONS[objection];
  throw new Refusal(condition, message, { field: 'Authorization', rule });
}
