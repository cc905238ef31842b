import { Refusal } from './refusal.ts';

/** `Bearer <PARTNER_ID>|<SIGN>`, taken apart. */
export interface TokenAuthorization {
  readonly partnerId: string;
  readonly signature: string;
}

/** `Bearer <PARTNER_ID>|<ACCESS_TOKEN>`, or `Bearer <PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>`. */
export interface EstimateAuthorization {
  readonly partnerId: string;
  /** Null in the platform's header. */
  readonly signature: string | null;
  readonly accessToken: string;
}

const BEARER = /^bearer +/i;
const PAIR = /^([^|\s]+)\|([^|\s]+)$/;
const USER = /^([^|\s]+)\|([^|\s]+) openid\|([^|\s]+)$/;

/**
 * Takes the header of a token request apart; the scheme's case does not matter, as in all of HTTP.
 *
 * @throws Refusal `authorization-missing` or `authorization-shape`
 * @see interface.md, "Authentication"
 */
export function parseTokenAuthorization(header: string | undefined): TokenAuthorization {
  if (header === undefined || header === '') {
    throw missing('token/authorization-required', 'Bearer <PARTNER_ID>|<SIGN>');
  }
  const pair = PAIR.exec(credentialsOf(header));
  if (!BEARER.test(header) || pair === null) {
    throw new Refusal('authorization-shape', 'Authorization must be Bearer <PARTNER_ID>|<SIGN>.', {
      field: 'Authorization',
      rule: 'token/authorization-shape',
    });
  }
  return { partnerId: pair[1] ?? '', signature: pair[2] ?? '' };
}

/**
 * Takes the header of an estimate request apart.
 *
 * @param anyScheme whether another scheme than Bearer passes (fault `auth/scheme`)
 * @throws Refusal `authorization-missing` or `authorization-shape`
 * @see interface.md, "Authentication"
 */
export function parseEstimateAuthorization(
  header: string | undefined,
  anyScheme: boolean,
): EstimateAuthorization {
  const shape = 'Bearer <PARTNER_ID>|<ACCESS_TOKEN>';
  if (header === undefined || header === '') throw missing('auth/authorization-required', shape);
  const credentials = anyScheme ? header.replace(/^\S+ +(?=[^ ]*\|)/, '') : credentialsOf(header);
  if (anyScheme || BEARER.test(header)) {
    const pair = PAIR.exec(credentials);
    if (pair) return { partnerId: pair[1] ?? '', signature: null, accessToken: pair[2] ?? '' };
    const user = USER.exec(credentials);
    if (user) {
      return { partnerId: user[1] ?? '', signature: user[2] ?? '', accessToken: user[3] ?? '' };
    }
  }
  throw new Refusal(
    'authorization-shape',
    `Authorization must be ${shape}, or Bearer <PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>.`,
    { field: 'Authorization', rule: 'auth/scheme' },
  );
}

function credentialsOf(header: string): string {
  return header.replace(BEARER, '');
}

function missing(
  rule: 'token/authorization-required' | 'auth/authorization-required',
  shape: string,
): Refusal {
  return new Refusal('authorization-missing', `There is no Authorization; send ${shape}.`, {
    field: 'Authorization',
    rule,
  });
}
