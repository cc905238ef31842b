/**
 * Default status of each condition under which the reference server refuses a request. The interface
 * fixes none of them (interface.md, "Errors"); the setting `error-status` changes them.
 */
export const DEFAULT_ERROR_STATUS = {
  'authorization-missing': 401,
  'authorization-shape': 401,
  'partner-unknown': 401,
  'signature-invalid': 401,
  'body-invalid': 400,
  'field-missing': 400,
  'field-invalid': 400,
  'grant-type-unknown': 400,
  'timestamp-expired': 400,
  'nostr-replayed': 400,
  'scope-unknown': 400,
  'refresh-token-invalid': 400,
  'auth-code-invalid': 400,
  'quota-exceeded': 429,
  banned: 403,
  'access-token-invalid': 401,
  'access-token-expired': 401,
  'scope-insufficient': 403,
  'parameter-missing': 400,
  'parameter-invalid': 400,
  'no-estimate': 404,
  'rate-limited': 429,
  'path-unknown': 404,
  'method-not-allowed': 405,
} as const;

/** Condition under which a request is refused. */
export type ErrorCondition = keyof typeof DEFAULT_ERROR_STATUS;

/** The conditions in the order of {@link DEFAULT_ERROR_STATUS}. */
export const ERROR_CONDITIONS = Object.keys(DEFAULT_ERROR_STATUS) as readonly ErrorCondition[];
