import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { AuthCodes } from '../state/auth-codes.ts';
import type { Partner } from '../state/partners.ts';
import type { Grant, Tokens } from '../state/tokens.ts';
import type { TokenGrant } from './token-fields.ts';

/** To whom a token goes, and how what it cost is marked as used. */
export interface Entitlement {
  /** Null for a platform token. */
  readonly userId: string | null;
  /** The scope where none is requested. */
  readonly defaultScope: string;
  /** The grant whose refresh_token was sent. */
  readonly refreshed: Grant | null;
  readonly markUsed: () => void;
}

/** Where refresh tokens and auth codes are kept. */
interface Entitling {
  readonly tokens: Tokens;
  readonly authCodes: AuthCodes;
}

/**
 * Judges what the grant itself needs, a valid refresh_token or a valid auth_code, and uses up
 * neither.
 *
 * @throws Refusal `refresh-token-invalid` or `auth-code-invalid`
 * @see interface.md, "States and transitions"
 */
export function entitle(
  partner: Partner,
  grant: TokenGrant,
  settings: Settings,
  state: Entitling,
  nowMs: number,
): Entitlement {
  const platform: Entitlement = {
    userId: null,
    defaultScope: settings.faults['token/scope-default'] ? 'public rides.read' : 'public',
    refreshed: null,
    markUsed: () => {},
  };
  switch (grant.grantType) {
    case 'client_credentials':
      return platform;
    case 'refresh_token':
      return entitleToRefresh(partner, grant.refreshToken, settings, state, nowMs) ?? platform;
    case 'authorization_code':
      return { ...platform, ...entitleUser(partner, grant.authCode, settings, state) };
  }
}

/** Null where a fault gives a token for a refresh_token that is none. */
function entitleToRefresh(
  partner: Partner,
  refreshToken: string,
  { faults, behaviour }: Settings,
  { tokens }: Entitling,
  nowMs: number,
): Entitlement | null {
  const refreshed = tokens.findRefresh(refreshToken, nowMs);
  if (refreshed !== undefined && refreshed.partner === partner && !refreshed.family.ended) {
    return {
      userId: refreshed.userId,
      // Not said which: a refresh that names no scope leaves the token as it was.
      defaultScope: refreshed.scope,
      refreshed,
      markUsed: () => tokens.useRefresh(refreshToken),
    };
  }
  const used = tokens.findUsedRefresh(refreshToken);
  if (used?.partner === partner) {
    if (behaviour['refresh-replay-consequence'] === 'family-ended') used.family.ended = true;
    throw refreshTokenInvalid('was used before', 'lifecycle/refresh-single-use');
  }
  const isLeftOut = refreshToken === '';
  if (isLeftOut || (faults['token/refresh-token-unknown'] && refreshed === undefined)) return null;
  throw refreshTokenInvalid('is not known', 'token/refresh-token-unknown');
}

function refreshTokenInvalid(
  what: string,
  rule: 'lifecycle/refresh-single-use' | 'token/refresh-token-unknown',
): Refusal {
  return new Refusal('refresh-token-invalid', `The refresh_token ${what}.`, {
    field: 'refresh_token',
    rule,
  });
}

function entitleUser(
  partner: Partner,
  code: string,
  { faults }: Settings,
  { authCodes }: Entitling,
): Pick<Entitlement, 'userId'> & Partial<Entitlement> {
  const authCode = authCodes.find(partner, code);
  if (authCode !== undefined && !authCode.used) {
    const markUsed = (): void => {
      authCode.used = true;
    };
    return { userId: authCode.userId, markUsed };
  }
  const isLeftOut = code === '';
  if (isLeftOut || (faults['token/auth-code-unknown'] && authCode === undefined)) {
    return { userId: userOf(partner) };
  }
  throw new Refusal(
    'auth-code-invalid',
    `The auth_code ${authCode === undefined ? 'is not known' : 'was used before'}.`,
    { field: 'auth_code', rule: 'token/auth-code-unknown' },
  );
}

/** The user of the auth codes that a partner starts with. */
export function userOf(partner: { readonly id: string }): string {
  return `user-of-${partner.id}`;
}
