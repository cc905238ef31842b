import { GRANT_TYPES } from '../limits.ts';
import { sign } from '../signature.ts';
import type { JsonObject } from './json-schema.ts';

/** Partner of the examples; its key is as public as they are. */
const PARTNER = 'example-partner';
const KEY = 'example-key';
const ACCESS_TOKEN = 'U2A4dk_jjsofvc39DZoGDw';
const REFRESH_TOKEN = 'g55wKykU3UYxtmgYBcVK2A';

const signed = { _: '2026-03-02T12:00:00Z', nostr: 'a1B2c3' };

const PLATFORM_REQUEST = { grant_type: GRANT_TYPES[0], scope: 'public', ...signed };

/** Bodies of token requests as OpenAPI examples, one for each grant type. */
export const TOKEN_REQUESTS: JsonObject = {
  platform: { summary: 'A platform token', value: PLATFORM_REQUEST },
  refresh: {
    summary: 'A new token for a refresh_token',
    value: { grant_type: GRANT_TYPES[1], refresh_token: REFRESH_TOKEN, ...signed },
  },
  user: {
    summary: 'A user token, of a partner that orders rides on behalf of users',
    value: {
      grant_type: GRANT_TYPES[2],
      auth_code: 'code-of-a-user',
      scope: 'public rides.read rides.request',
      ...signed,
    },
  },
};

/** Body of a token response as an OpenAPI example. */
export const TOKENS: JsonObject = {
  token: {
    summary: 'A token for two hours',
    value: {
      access_token: ACCESS_TOKEN,
      refresh_token: REFRESH_TOKEN,
      expires_in_second: 7200,
      token_type: 'bearer',
      scope: 'public',
    },
  },
};

const RECORD = {
  product_type: 'private-car',
  ride_type: 'compact',
  currency_code: 'CNY',
  estimate_price: 7017,
  time_in_second: 1471,
  distance_in_meter: 15_520,
  car_type: 300,
  dynamic: 1,
  estimate_id: 'HBiZy6BuAZyua2YAAAAAAA',
  pay_type: '1',
  jump_url: 'https://rides.example/open?product_type=private-car',
  download_url: 'https://rides.example/download',
};

const EXPRESS = { ...RECORD, product_type: 'express-car', ride_type: 'express', pay_type: '1,2' };

/** Bodies of estimate responses as OpenAPI examples, one for each carpool shape. */
export const ESTIMATES: JsonObject = {
  plain: { summary: 'Without carpooling', value: [RECORD] },
  withoutSeats: {
    summary: 'Carpooling without seat sharing',
    value: [{ ...EXPRESS, carpool_tag: '1', carpool_info: [{ estimate_price: 3420 }] }],
  },
  withSeats: {
    summary: 'Carpooling with seat sharing',
    value: [
      {
        ...EXPRESS,
        carpool_tag: '2',
        carpool_info: [
          { seat: 1, estimate_price: 3420 },
          { seat: 2, estimate_price: 4104 },
        ],
      },
    ],
  },
};

const code = (text: string): string => `\`${text}\``;

/** The header of each kind of caller, in words and by example (interface.md, "Authentication"). */
export function securitySchemes(): JsonObject {
  const signature = sign(PLATFORM_REQUEST, KEY);
  return {
    partnerSignature: bearer(
      '<PARTNER_ID>|<SIGN>',
      `Header of token requests. SIGN covers the fields of the body; the interface does not show which, and the reference server signs all. The example ${code('platform')} is signed by ${code(`Bearer ${PARTNER}|${signature}`)} with the signing key ${code(KEY)}.`,
    ),
    platformToken: bearer(
      '<PARTNER_ID>|<ACCESS_TOKEN>',
      `Header of estimate requests as the platform, such as ${code(`Bearer ${PARTNER}|${ACCESS_TOKEN}`)}.`,
    ),
    userToken: bearer(
      '<PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>',
      'Header of estimate requests as a user. SIGN covers query parameters; the interface does not show which, and the reference server signs all, decoded.',
    ),
  };
}

const bearer = (credentials: string, description: string): JsonObject => ({
  type: 'http',
  scheme: 'bearer',
  bearerFormat: credentials,
  description: `${code(`Bearer ${credentials}`)}. ${description}`,
});
