import type { ServiceRuleId } from '../interface/index.ts';
import { Refusal } from './refusal.ts';

/** `Bearer <PARTNER_ID>|<SIGN>`, parsed. */
export interface TokenAuthorization {
  readonly partnerId: string;
  readonly signature: string;
}

/** `Bearer <PARTNER_ID>|<ACCESS_TOKEN>` or `Bearer <PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>`, parsed. */
export interface EstimateAuthorization {
  readonly partnerId: string;
  /** Null in the platform's header. */
  readonly signature: string | null;
  readonly accessToken: string;
}

const BEARER = /^bearer +/i;
const PAIR = /^([^|\s]+)\|([^|\s]+)$/;
const USER = /^([^|\s]+)\|([^|\s]+) openid\|([^|\s]+)$/;

const TOKEN_SHAPE = 'Bearer <PARTNER_ID>|<SIGN>';
const PLATFORM_SHAPE = 'Bearer <PARTNER_ID>|<ACCESS_TOKEN>';
const USER_SHAPE = 'Bearer <PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>';

/**
 * Parses the Authorization of a token request; the case of the scheme does not matter (RFC 9110, 11.1).
 *
 * @throws Refusal `authorization-missing` or `authorization-shape`
 * @see interface.md, "Authentication"
 */
export function parseTokenAuthorization(header: string | undefined): TokenAuthorization {
  if (!header) throw missing('token/authorization-required', TOKEN_SHAPE);
  const [, partnerId, signature] = PAIR.exec(credentialsOf(header) ?? '') ?? [];
  if (partnerId !== undefined && signature !== undefined) return { partnerId, signature };
  throw new Refusal('authorization-shape', `Authorization must be ${TOKEN_SHAPE}.`, {
    field: 'Authorization',
    rule: 'token/authorization-shape',
  });
}

/**
 * Parses the Authorization of an estimate request.
 *
 * @throws Refusal `authorization-missing` or `authorization-shape`
 * @see interface.md, "Authentication"
 */
export function parseEstimateAuthorization(header: string | undefined): EstimateAuthorization {
  if (!header) throw missing('auth/authorization-required', PLATFORM_SHAPE);
  const credentials = credentialsOf(header) ?? '';
  const pair = PAIR.exec(credentials);
  if (pair) return { partnerId: pair[1]!, signature: null, accessToken: pair[2]! };
  const user = USER.exec(credentials);
  if (user) return { partnerId: user[1]!, signature: user[2]!, accessToken: user[3]! };
  throw new Refusal(
    'authorization-shape',
    `Authorization must be ${PLATFORM_SHAPE}, or ${USER_SHAPE}.`,
    { field: 'Authorization', rule: 'auth/scheme' },
  );
}

/** The text after the scheme; null for another scheme than Bearer. */
function credentialsOf(header: string): string | null {
  return BEARER.test(header) ? header.replace(BEARER, '') : null;
}

function missing(rule: ServiceRuleId, shape: string): Refusal {
  return new Refusal('authorization-missing', `There is no Authorization; send ${shape}.`, {
    field: 'Authorization',
    rule,
  });
}
