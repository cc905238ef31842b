import type { Behaviour, ServiceRuleId } from '../../../interface/index.ts';
import { Refusal } from '../messages.ts';
import type { ServiceState } from '../service-state.ts';
import type { AuthCodes } from '../state/auth-codes.ts';
import type { Partner } from '../state/partners.ts';
import type { Grant, Tokens } from '../state/tokens.ts';
import type { TokenGrant } from './token-fields.ts';

/** The right to a token, and the means to use up what gave it. */
export interface Entitlement {
  /** Null for a platform token. */
  readonly userId: string | null;
  /** The scope where none is requested. */
  readonly defaultScope: string;
  /** The grant whose refresh_token was sent. */
  readonly refreshed: Grant | null;
  /** Marks the refresh_token or the auth_code as used. */
  readonly markUsed: () => void;
}

const FIRST = { userId: null, defaultScope: 'public', refreshed: null, markUsed: () => {} };

/**
 * Judges the refresh_token or auth_code of a grant, without using it up (interface.md, "States and
 * transitions").
 *
 * @throws Refusal `refresh-token-invalid` or `auth-code-invalid`
 */
export function entitle(
  partner: Partner,
  grant: TokenGrant,
  { tokens, authCodes }: ServiceState,
  behaviour: Behaviour,
): Entitlement {
  switch (grant.grantType) {
    case 'client_credentials':
      return FIRST;
    case 'refresh_token':
      return entitleToRefresh(partner, grant.refreshToken, tokens, behaviour);
    case 'authorization_code':
      return entitleUser(partner, grant.authCode, authCodes, behaviour['auth-code-reuse']);
  }
}

function entitleToRefresh(
  partner: Partner,
  refreshToken: string,
  tokens: Tokens,
  behaviour: Behaviour,
): Entitlement {
  const refreshed = tokens.findRefresh(refreshToken);
  if (refreshed?.partner === partner && !refreshed.family.ended) {
    return {
      userId: refreshed.userId,
      defaultScope: behaviour['refresh-scope'].unnamed === 'kept' ? refreshed.scope : 'public',
      refreshed,
      markUsed: () => tokens.useRefresh(refreshToken),
    };
  }
  const used = tokens.findUsedRefresh(refreshToken);
  if (used?.partner !== partner) throw refreshTokenInvalid();
  if (behaviour['refresh-replay-consequence'] === 'family-ended') used.family.ended = true;
  throw refreshTokenInvalid('was used before', 'lifecycle/refresh-single-use');
}

/** The refusal of a refresh_token. */
export function refreshTokenInvalid(
  what = 'is not known',
  rule: ServiceRuleId = 'token/refresh-token-unknown',
): Refusal {
  const detail = { field: 'refresh_token', rule };
  return new Refusal('refresh-token-invalid', `The refresh_token ${what}.`, detail);
}

function entitleUser(
  partner: Partner,
  code: string,
  authCodes: AuthCodes,
  reuse: Behaviour['auth-code-reuse'],
): Entitlement {
  const authCode = authCodes.find(partner, code);
  if (authCode === undefined || (authCode.used && reuse === 'refused')) {
    const message = `The auth_code ${authCode ? 'was used before' : 'is not known'}.`;
    const rule = 'token/auth-code-unknown';
    throw new Refusal('auth-code-invalid', message, { field: 'auth_code', rule });
  }
  const markUsed = (): void => {
    authCode.used = true;
  };
  return { ...FIRST, userId: authCode.userId, markUsed };
}
