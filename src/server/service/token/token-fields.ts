import {
  type Behaviour,
  GRANT_TYPES,
  type GrantType,
  LIMITS,
  SCOPES,
  type ServiceRuleId,
} from '../../../interface/index.ts';
import { NestingError, parseJsonBody } from '../json-body.ts';
import { Refusal } from '../messages.ts';

/** The JSON object of a token request, as it was sent. */
export type TokenFields = Readonly<Record<string, unknown>>;

/** The fields of a token request that the service reads, each of its type. */
export interface TokenGrant {
  readonly grantType: GrantType;
  /** As requested; undefined if it is left out, null or empty. */
  readonly scope: string | undefined;
  /** `_` as it was sent; its value is judged later, and only in production. */
  readonly timestamp: unknown;
  readonly nostr: string;
  /** These two are empty for another grant type. */
  readonly refreshToken: string;
  readonly authCode: string;
}

const FORM = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\b/i;
const JSON_TYPE = /^\s*application\/json\s*(;|$)/i;

/**
 * Refuses a body that is announced as a form, or as anything but JSON (gap
 * `token-content-type-required`).
 *
 * @throws Refusal `body-invalid`
 */
export function refuseContentType(
  contentType: string | undefined,
  required: Behaviour['token-content-type-required'],
): void {
  const isServed =
    required === 'yes' ? JSON_TYPE.test(contentType ?? '') : !FORM.test(contentType ?? '');
  if (!isServed) throw notJson('The body must be JSON, sent as application/json.');
}

/**
 * Parses the body of a token request (interface.md, "1. Request, refresh or exchange a token").
 *
 * @throws Refusal `body-invalid`
 */
export function parseTokenBody(body: Uint8Array): TokenFields {
  let value: unknown;
  try {
    value = parseJsonBody(body);
  } catch (error) {
    if (error instanceof NestingError) throw new Refusal('body-invalid', error.message);
    throw notJson('The body is not JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw notJson('The body must be a JSON object.');
  }
  return value as TokenFields;
}

function notJson(message: string): Refusal {
  return new Refusal('body-invalid', message, { rule: 'token/json-body' });
}

/**
 * Reads the grant type.
 *
 * @throws Refusal `field-missing`, `field-invalid` or `grant-type-unknown`
 */
export function readGrantType(fields: TokenFields): GrantType {
  const field = 'grant_type';
  const rule = 'token/grant-type-known';
  const grantType = optionalText(fields, field, rule);
  if (grantType === undefined) throw missing(field, 'token/grant-type-required');
  const known = GRANT_TYPES.find((name) => name === grantType);
  if (known !== undefined) return known;
  const message = `grant_type must be one of ${GRANT_TYPES.join(', ')}.`;
  throw new Refusal('grant-type-unknown', message, { field, rule });
}

/**
 * Reads the fields that a grant type requires, and the scope (interface.md, "Token request body").
 *
 * @throws Refusal `field-missing` or `field-invalid`
 */
export function readGrant(fields: TokenFields, grantType: GrantType): TokenGrant {
  if (isAbsent(fields['_'])) throw missing('_', 'token/timestamp-required');
  const textOf = (type: GrantType, field: string, rule: ServiceRuleId): string =>
    grantType === type ? requiredText(fields, field, rule) : '';
  return {
    grantType,
    scope: optionalText(fields, 'scope', 'token/scope-echo'),
    timestamp: fields['_'],
    nostr: readNostr(fields),
    refreshToken: textOf('refresh_token', 'refresh_token', 'token/refresh-token-required'),
    authCode: textOf('authorization_code', 'auth_code', 'token/auth-code-required'),
  };
}

/** Checks whether a field counts as left out: null and the empty string do, as the signature skips them. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function readNostr(fields: TokenFields): string {
  const nostr = requiredText(fields, 'nostr', 'token/nostr-required');
  const length = LIMITS.nostrLength;
  if (nostr.length !== length) {
    throw invalid('nostr', `must be exactly ${length} characters`, 'token/nostr-length');
  }
  if (!/^[0-9A-Za-z]+$/.test(nostr)) {
    throw invalid('nostr', 'must be digits and letters', 'token/nostr-alphabet');
  }
  return nostr;
}

function requiredText(fields: TokenFields, field: string, rule: ServiceRuleId): string {
  const value = optionalText(fields, field, rule);
  if (value !== undefined) return value;
  throw missing(field, rule);
}

function optionalText(fields: TokenFields, field: string, rule: ServiceRuleId): string | undefined {
  const value = fields[field];
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string') return value;
  throw invalid(field, 'must be a string', rule);
}

function missing(field: string, rule: ServiceRuleId): Refusal {
  return new Refusal('field-missing', `The field ${field} is missing.`, { field, rule });
}

function invalid(field: string, what: string, rule: ServiceRuleId): Refusal {
  return new Refusal('field-invalid', `The field ${field} ${what}.`, { field, rule });
}

/**
 * Gives the scope of a token for the scope requested (interface.md, "Scope values"): the same text,
 * unless it contains an unknown name and the gap `unknown-scope` is set otherwise.
 *
 * @throws Refusal `scope-unknown`
 */
export function grantScope(requested: string, unknownScope: Behaviour['unknown-scope']): string {
  const isKnown = (name: string): boolean => SCOPES.some((scope) => scope === name);
  const names = requested.split(/\s+/).filter((name) => name !== '');
  if (names.every(isKnown) || unknownScope === 'granted') return requested;
  if (unknownScope === 'dropped') return names.filter(isKnown).join(' ');
  const detail = { field: 'scope', rule: 'token/scope-echo' } as const;
  throw new Refusal('scope-unknown', `A scope must be one of ${SCOPES.join(', ')}.`, detail);
}

/**
 * Gives the scope of a refreshed token for the scope requested (gap `refresh-scope`).
 *
 * @param held scope of the token that is refreshed
 * @throws Refusal `scope-unknown`
 */
export function grantRefreshScope(
  requested: string,
  held: string,
  wider: Behaviour['refresh-scope']['wider'],
): string {
  const names = held.split(/\s+/);
  const isWider = requested.split(/\s+/).some((name) => name !== '' && !names.includes(name));
  if (!isWider || wider === 'granted') return requested;
  if (wider === 'kept') return held;
  const message = 'A refresh cannot widen the scope of its token.';
  throw new Refusal('scope-unknown', message, { field: 'scope' });
}
