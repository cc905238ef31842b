import { GRANT_TYPES, TOKEN_PATH } from '../../../interface/limits.ts';
import type { ParsedRequest } from '../traffic/parsed-request.ts';
import { grantOf } from '../traffic/traffic.ts';
import { type ClientCheck, checkEach, quoted } from './check.ts';

const ONE = 'a token request';

/** How a token is asked for (interface.md, "1. Request, refresh or exchange a token"). */
export const TOKEN_REQUEST_CHECKS: readonly ClientCheck[] = [
  {
    rule: 'client/token-method',
    judge: ({ tokenRequests }) =>
      checkEach(
        tokenRequests,
        {
          one: ONE,
          expected: `POST ${TOKEN_PATH}`,
          held: `each token request is a POST to ${TOKEN_PATH}`,
        },
        ({ method, path }) =>
          method === 'POST' && hasTokenPath(path) ? null : `${method} ${path}`,
      ),
  },
  {
    rule: 'client/token-content-type',
    judge: ({ tokenRequests }) =>
      checkEach(
        tokenRequests.filter(({ method }) => method !== 'GET'),
        {
          one: ONE,
          expected: 'Content-Type: application/json, and a JSON object as the body',
          held: 'each token request is JSON and says so',
        },
        ({ contentType, token }) => {
          const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? null;
          if (type !== 'application/json') return `Content-Type: ${contentType ?? 'none'}`;
          return token?.body === 'json' ? null : 'a body that is no JSON object';
        },
      ),
  },
  {
    rule: 'client/token-authorization',
    judge: ({ tokenRequests }) =>
      checkEach(
        tokenRequests,
        {
          one: ONE,
          expected: 'Authorization: Bearer ID|SIGN, with the partner id that was given',
          held: 'each token request carries Bearer ID|SIGN',
        },
        ({ authorization, partnerKnown }) => {
          if (authorization.form !== 'pair') return authorization.shape;
          return partnerKnown === false
            ? `the partner id ${quoted(authorization.partnerId)}`
            : null;
        },
      ),
  },
  {
    rule: 'client/grant-fields',
    judge: ({ tokenRequests }) =>
      checkEach(
        tokenRequests.filter(({ token }) => token?.body !== 'other'),
        {
          one: `${ONE} with a body that can be read`,
          expected: 'grant_type, _, nostr and what the grant needs, each a string',
          held: 'each grant carries its fields',
        },
        faultOfFields,
      ),
  },
];

/** A wrong version is a matter of `client/path-version`. */
function hasTokenPath(path: string): boolean {
  return path === TOKEN_PATH || path.replace(/^(\/v\d+)?/, '/v1') === TOKEN_PATH;
}

const FIELD_OF_GRANT: Readonly<Record<string, string>> = {
  refresh_token: 'refresh_token',
  authorization_code: 'auth_code',
};

function faultOfFields(request: ParsedRequest): string | null {
  const fields = request.token?.fields ?? {};
  const grant = grantOf(request);
  if (grant === null) {
    return `grant_type is ${quoted(fields['grant_type'])}, none of ${GRANT_TYPES.join(', ')}`;
  }
  const own = FIELD_OF_GRANT[grant];
  for (const name of ['_', 'nostr', ...(own === undefined ? [] : [own])]) {
    const value = fields[name];
    if (value === undefined || value === null || value === '') return `${grant} without ${name}`;
    if (typeof value !== 'string') return `${name} is a ${typeof value}: ${quoted(value)}`;
  }
  const { scope } = fields;
  if (scope !== undefined && scope !== null && typeof scope !== 'string') {
    return `scope is no string: ${quoted(scope)}`;
  }
  return null;
}
