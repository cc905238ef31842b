import type { Behaviour } from '../../interface/index.ts';
import { Refusal } from '../refusal.ts';
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

/** The state that refresh tokens and auth codes are looked up in. */
export interface EntitlementState {
  readonly tokens: Tokens;
  readonly authCodes: AuthCodes;
}

const PLATFORM: Entitlement = {
  userId: null,
  defaultScope: 'public',
  refreshed: null,
  markUsed: () => {},
};

/**
 * Judges the refresh_token or auth_code of a grant, without using it up.
 *
 * @throws Refusal `refresh-token-invalid` or `auth-code-invalid`
 * @see interface.md, "States and transitions"
 */
export function entitle(
  partner: Partner,
  grant: TokenGrant,
  { tokens, authCodes }: EntitlementState,
  replayConsequence: Behaviour['refresh-replay-consequence'],
): Entitlement {
  switch (grant.grantType) {
    case 'client_credentials':
      return PLATFORM;
    case 'refresh_token':
      return entitleToRefresh(partner, grant.refreshToken, tokens, replayConsequence);
    case 'authorization_code':
      return entitleUser(partner, grant.authCode, authCodes);
  }
}

function entitleToRefresh(
  partner: Partner,
  refreshToken: string,
  tokens: Tokens,
  replayConsequence: Behaviour['refresh-replay-consequence'],
): Entitlement {
  const refreshed = tokens.findRefresh(refreshToken);
  if (refreshed?.partner === partner && !refreshed.family.ended) {
    return {
      userId: refreshed.userId,
      // Gap `refresh-scope`: a refresh that names no scope keeps that of the token.
      defaultScope: refreshed.scope,
      refreshed,
      markUsed: () => tokens.useRefresh(refreshToken),
    };
  }
  const used = tokens.findUsedRefresh(refreshToken);
  if (used?.partner !== partner) throw refreshTokenUnknown();
  if (replayConsequence === 'family-ended') used.family.ended = true;
  throw new Refusal('refresh-token-invalid', 'The refresh_token was used before.', {
    field: 'refresh_token',
    rule: 'lifecycle/refresh-single-use',
  });
}

/** The refusal of a refresh_token that is not known. */
export function refreshTokenUnknown(): Refusal {
  return new Refusal('refresh-token-invalid', 'The refresh_token is not known.', {
    field: 'refresh_token',
    rule: 'token/refresh-token-unknown',
  });
}

function entitleUser(partner: Partner, code: string, authCodes: AuthCodes): Entitlement {
  const authCode = authCodes.find(partner, code);
  if (authCode === undefined || authCode.used) {
    throw new Refusal(
      'auth-code-invalid',
      `The auth_code ${authCode === undefined ? 'is not known' : 'was used before'}.`,
      { field: 'auth_code', rule: 'token/auth-code-unknown' },
    );
  }
  const markUsed = (): void => {
    authCode.used = true;
  };
  return { ...PLATFORM, userId: authCode.userId, markUsed };
}

/** The user of the auth codes that a partner starts with. */
export function userOf(partner: { readonly id: string }): string {
  return `user-of-${partner.id}`;
}
