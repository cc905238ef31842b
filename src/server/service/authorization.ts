import type { ServiceRuleId } from '../../interface/index.ts';
import { Refusal } from './messages.ts';
import type { Partner, Partners } from './state/partners.ts';

/** The sender of a token request. */
export interface Sender {
  readonly partner: Partner;
  /** As it was sent, not yet checked. */
  readonly signature: string;
}

/** `Bearer <PARTNER_ID>|<ACCESS_TOKEN>` or `Bearer <PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>`, parsed. */
export interface EstimateAuthorization {
  readonly partnerId: string;
  /** Null in the platform's header. */
  readonly signature: string | null;
  readonly accessToken: string;
}

/** The case of the scheme does not matter (RFC 9110, 11.1). */
const PAIR = /^bearer +([^|\s]+)\|([^|\s]+)$/i;
const USER = /^bearer +([^|\s]+)\|([^|\s]+) openid\|([^|\s]+)$/i;

const TOKEN_SHAPE = 'Bearer <PARTNER_ID>|<SIGN>';
const PLATFORM_SHAPE = 'Bearer <PARTNER_ID>|<ACCESS_TOKEN>';
const USER_SHAPE = 'Bearer <PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>';

/**
 * Finds the partner that the Authorization of a token request names (interface.md, "Authentication").
 *
 * @throws Refusal `authorization-missing`, `authorization-shape` or `partner-unknown`
 */
export function identify(header: string | undefined, partners: Partners): Sender {
  if (!header) throw missing('token/authorization-required', TOKEN_SHAPE);
  const [, partnerId, signature] = PAIR.exec(header) ?? [];
  if (partnerId === undefined || signature === undefined) {
    throw misshapen('token/authorization-shape', TOKEN_SHAPE);
  }
  const partner = partners.find(partnerId);
  if (partner !== undefined) return { partner, signature };
  const detail = { field: 'Authorization', rule: 'token/partner-unknown' } as const;
  throw new Refusal('partner-unknown', 'No partner has this id.', detail);
}

/**
 * Parses the Authorization of an estimate request (interface.md, "Authentication").
 *
 * @throws Refusal `authorization-missing` or `authorization-shape`
 */
export function parseEstimateAuthorization(header: string | undefined): EstimateAuthorization {
  if (!header) throw missing('auth/authorization-required', PLATFORM_SHAPE);
  const pair = PAIR.exec(header);
  if (pair) return { partnerId: pair[1]!, signature: null, accessToken: pair[2]! };
  const user = USER.exec(header);
  if (user) return { partnerId: user[1]!, signature: user[2]!, accessToken: user[3]! };
  throw misshapen('auth/scheme', `${PLATFORM_SHAPE}, or ${USER_SHAPE}`);
}

function missing(rule: ServiceRuleId, shape: string): Refusal {
  const message = `There is no Authorization; send ${shape}.`;
  return new Refusal('authorization-missing', message, { field: 'Authorization', rule });
}

function misshapen(rule: ServiceRuleId, shape: string): Refusal {
  const message = `Authorization must be ${shape}.`;
  return new Refusal('authorization-shape', message, { field: 'Authorization', rule });
}
