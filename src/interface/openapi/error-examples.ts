import type { ServiceRuleId } from '../catalogue.ts';
import { DEFAULT_ERROR_STATUS, type ErrorCondition } from '../error-conditions.ts';
import { DURATION_WORDS, GRANT_TYPES, LIMITS, SCOPES } from '../limits.ts';
import type { JsonObject } from './json-schema.ts';

/** One refusal of the reference server: message, field at fault and rule that the request broke. */
type Row = readonly [message: string, field?: string | undefined, rule?: ServiceRuleId];
type Rows = Readonly<Partial<Record<ErrorCondition, Row>>>;

const AUTHORIZATION = 'Authorization';

/** Refusals of token requests. */
const TOKEN_ROWS: Rows = {
  'authorization-missing': [
    'There is no Authorization; send Bearer <PARTNER_ID>|<SIGN>.',
    AUTHORIZATION,
    'token/authorization-required',
  ],
  'authorization-shape': [
    'Authorization must be Bearer <PARTNER_ID>|<SIGN>.',
    AUTHORIZATION,
    'token/authorization-shape',
  ],
  'partner-unknown': ['No partner has this id.', AUTHORIZATION, 'token/partner-unknown'],
  'signature-invalid': [
    'SIGN is not the signature of this body.',
    AUTHORIZATION,
    'signature/invalid-refused',
  ],
  'body-invalid': ['The body must be a JSON object.', undefined, 'token/json-body'],
  'field-missing': ['The field nostr is missing.', 'nostr', 'token/nostr-required'],
  'field-invalid': ['The field nostr must be a string.', 'nostr', 'token/nostr-required'],
  'grant-type-unknown': [
    `grant_type must be one of ${GRANT_TYPES.join(', ')}.`,
    'grant_type',
    'token/grant-type-known',
  ],
  'timestamp-expired': [
    `The field _ is more than ${DURATION_WORDS.timestampValidity} old.`,
    '_',
    'token/timestamp-expired',
  ],
  'nostr-replayed': [
    `This nostr was sent within the last ${DURATION_WORDS.timestampValidity}.`,
    'nostr',
  ],
  'scope-unknown': [`A scope must be one of ${SCOPES.join(', ')}.`, 'scope', 'token/scope-echo'],
  'refresh-token-invalid': [
    'The refresh_token is not known.',
    'refresh_token',
    'token/refresh-token-unknown',
  ],
  'auth-code-invalid': ['The auth_code is not known.', 'auth_code', 'token/auth-code-unknown'],
  'quota-exceeded': [
    `More than ${LIMITS.platformTokensPerDay} platform token requests in a day; banned for ${DURATION_WORDS.ban}.`,
    undefined,
    'quota/platform-refuses-11th',
  ],
  banned: [
    'Too many platform token requests; banned until 2026-03-03T12:00:00.000Z.',
    undefined,
    'quota/ban-lasts-24h',
  ],
};

/** Refusals of estimate requests. */
const ESTIMATE_ROWS: Rows = {
  'authorization-missing': [
    'There is no Authorization; send Bearer <PARTNER_ID>|<ACCESS_TOKEN>.',
    AUTHORIZATION,
    'auth/authorization-required',
  ],
  'authorization-shape': [
    'Authorization must be Bearer <PARTNER_ID>|<ACCESS_TOKEN>, or Bearer <PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>.',
    AUTHORIZATION,
    'auth/scheme',
  ],
  'partner-unknown': ['No partner has this id.', AUTHORIZATION],
  'signature-invalid': [
    'SIGN is not the signature of this query.',
    AUTHORIZATION,
    'auth/user-signature',
  ],
  'access-token-invalid': ['The access_token is not known.', AUTHORIZATION, 'auth/unknown-token'],
  'access-token-expired': [
    'The access_token has expired; refresh it.',
    AUTHORIZATION,
    'lifecycle/access-token-expires',
  ],
  'scope-insufficient': ['The token needs the scope public.', AUTHORIZATION, 'auth/scope-public'],
  'parameter-missing': [
    'The parameter to_name is missing.',
    'to_name',
    'estimate/required-parameters',
  ],
  'parameter-invalid': [
    'The parameter end_lat must be from -90 to 90.',
    'end_lat',
    'estimate/coordinates-range',
  ],
  'no-estimate': ['There is no estimate for these parameters.'],
  'rate-limited': ['Too many requests in a second.'],
};

const examplesOf = (rows: Rows): JsonObject =>
  Object.fromEntries(
    (Object.entries(rows) as [ErrorCondition, Row][]).map(([code, [message, field, rule]]) => [
      code,
      {
        summary: `Status ${DEFAULT_ERROR_STATUS[code]}, unless the reference server is set to another`,
        value: {
          error: { code, message, ...(field && { field }), ...(rule && { rule }) },
        },
      },
    ]),
  );

/** Error bodies of the reference server as OpenAPI examples, by condition, for each endpoint. */
export const errorExamples = (): { token: JsonObject; estimate: JsonObject } => ({
  token: examplesOf(TOKEN_ROWS),
  estimate: examplesOf(ESTIMATE_ROWS),
});
