import { parseTokenAuthorization } from '../authorization.ts';
import { Refusal } from '../refusal.ts';
import type { Partner, Partners } from '../state/partners.ts';

/** The sender of a token request. */
export interface Sender {
  readonly partner: Partner;
  /** As it was sent, not yet checked. */
  readonly signature: string;
}

/**
 * Finds the partner that the header Authorization of a token request names.
 *
 * @throws Refusal `authorization-missing`, `authorization-shape` or `partner-unknown`
 */
export function identify(header: string | undefined, partners: Partners): Sender {
  const { partnerId, signature } = parseTokenAuthorization(header);
  const partner = partners.find(partnerId);
  if (partner !== undefined) return { partner, signature };
  throw new Refusal('partner-unknown', 'No partner has this id.', {
    field: 'Authorization',
    rule: 'token/partner-unknown',
  });
}
