import type { GrantType } from '../../interface/index.ts';
import { GRANT_TYPES, LIMITS } from '../../interface/index.ts';
import type { FaultSwitches } from '../faults/switches.ts';
import type { RefusalDetail } from '../refusal.ts';
import { Refusal } from '../refusal.ts';

/** The JSON object of a token request, as it was sent. */
export type TokenFields = Readonly<Record<string, unknown>>;

/** The fields of a token request that matter, each of its type. */
export interface TokenGrant {
  readonly grantType: GrantType;
  /** As requested; undefined where it is left out, null or empty. */
  readonly scope: string | undefined;
  /** `_` as it was sent; its content is judged later, and in production only. */
  readonly timestamp: unknown;
  readonly nostr: string;
  readonly refreshToken: string;
  readonly authCode: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the body of a token request.
 *
 * @throws Refusal `body-invalid`
 * @see interface.md, "1. Request, refresh or exchange a token"
 */
export function parseTokenBody(body: Uint8Array, contentType: string | undefined): TokenFields {
  if (/^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(contentType ?? '')) {
    throw notJson('The body must be JSON, sent as application/json.');
  }
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(body));
  } catch {
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
 * Which grant is asked for.
 *
 * @throws Refusal `field-missing`, `field-invalid` or `grant-type-unknown`
 */
export function readGrantType(fields: TokenFields, faults: FaultSwitches): GrantType {
  const grantType = optionalText(fields, 'grant_type', { rule: 'token/grant-type-known' });
  if (grantType === undefined) {
    if (faults['token/grant-type-required']) return 'client_credentials';
    throw missing('grant_type', { rule: 'token/grant-type-required' });
  }
  const known = GRANT_TYPES.find((name) => name === grantType);
  if (known !== undefined) return known;
  if (faults['token/grant-type-known']) return 'client_credentials';
  throw new Refusal('grant-type-unknown', `grant_type must be one of ${GRANT_TYPES.join(', ')}.`, {
    field: 'grant_type',
    rule: 'token/grant-type-known',
  });
}

/**
 * Whether each field that the grant requires is there, and of its type.
 *
 * @throws Refusal `field-missing` or `field-invalid`
 * @see interface.md, "Token request body"
 */
export function readGrant(
  fields: TokenFields,
  grantType: GrantType,
  faults: FaultSwitches,
): TokenGrant {
  if (isAbsent(fields['_']) && !faults['token/timestamp-required']) {
    throw missing('_', { rule: 'token/timestamp-required' });
  }
  return {
    grantType,
    scope: optionalText(fields, 'scope', { rule: 'token/scope-echo' }),
    timestamp: fields['_'],
    nostr: readNostr(fields, faults),
    refreshToken:
      grantType === 'refresh_token'
        ? requiredText(fields, 'refresh_token', 'token/refresh-token-required', faults)
        : '',
    authCode:
      grantType === 'authorization_code'
        ? requiredText(fields, 'auth_code', 'token/auth-code-required', faults)
        : '',
  };
}

function readNostr(fields: TokenFields, faults: FaultSwitches): string {
  const nostr = requiredText(fields, 'nostr', 'token/nostr-required', faults);
  if (nostr === '') return nostr;
  const length = LIMITS.nostrLength;
  if (nostr.length !== length && !faults['token/nostr-length']) {
    throw invalid('nostr', `must be exactly ${length} characters`, { rule: 'token/nostr-length' });
  }
  if (!/^[0-9A-Za-z]+$/.test(nostr) && !faults['token/nostr-alphabet']) {
    throw invalid('nostr', 'must be digits and letters', { rule: 'token/nostr-alphabet' });
  }
  return nostr;
}

/** An empty text where the rule is broken and the field left out. */
function requiredText(
  fields: TokenFields,
  field: string,
  rule: 'token/nostr-required' | 'token/refresh-token-required' | 'token/auth-code-required',
  faults: FaultSwitches,
): string {
  const value = optionalText(fields, field, { rule });
  if (value !== undefined) return value;
  if (faults[rule]) return '';
  throw missing(field, { rule });
}

function optionalText(
  fields: TokenFields,
  field: string,
  detail: RefusalDetail,
): string | undefined {
  const value = fields[field];
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string') return value;
  throw invalid(field, 'must be a string', detail);
}

/** Null and the empty text are what the signature skips: a field without content is left out. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function missing(field: string, detail: RefusalDetail): Refusal {
  return new Refusal('field-missing', `The field ${field} is missing.`, { field, ...detail });
}

function invalid(field: string, what: string, detail: RefusalDetail): Refusal {
  return new Refusal('field-invalid', `The field ${field} ${what}.`, { field, ...detail });
}
