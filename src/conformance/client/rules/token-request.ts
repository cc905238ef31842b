import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { GRANT_TYPES, TOKEN_PATH } from '../../../interface/limits.ts';
import { grantOf } from '../traffic/request-fields.ts';
import { type ClientCheck, everyRequest, quoted } from './check.ts';

/** The form of a token request (interface.md, "1. Request, refresh or exchange a token"). */
export const TOKEN_REQUEST_CHECKS: readonly ClientCheck[] = [
  everyRequest('client/token-method', {
    of: ({ tokenRequests }) => tokenRequests,
    noun: 'token request',
    expected: `POST ${TOKEN_PATH}`,
    passed: `each token request is a POST to ${TOKEN_PATH}`,
    fault: ({ method, path }) =>
      method === 'POST' && isTokenPath(path) ? null : `${method} ${path}`,
  }),
  everyRequest('client/token-content-type', {
    of: ({ tokenRequests }) => tokenRequests.filter(({ method }) => method !== 'GET'),
    noun: 'token request',
    expected: 'Content-Type: application/json, and a JSON object as the body',
    passed: 'each token request is JSON and declares it',
    fault: ({ contentType, token }) => {
      const type = contentType?.split(';')[0]?.trim().toLowerCase();
      if (type !== 'application/json') return `Content-Type: ${contentType ?? 'none'}`;
      return token?.body === 'json' ? null : 'a body that is not a JSON object';
    },
  }),
  everyRequest('client/token-authorization', {
    of: ({ tokenRequests }) => tokenRequests,
    noun: 'token request',
    expected: 'Authorization: Bearer ID|SIGN, with the partner id that was given',
    passed: 'each token request carries Bearer ID|SIGN',
    fault: ({ authorization, partnerKnown }) => {
      if (authorization.form !== 'pair') return authorization.shape;
      return partnerKnown === false ? `the partner id ${quoted(authorization.partnerId)}` : null;
    },
  }),
  everyRequest('client/grant-fields', {
    of: ({ tokenRequests }) => tokenRequests.filter(({ token }) => token?.body !== 'other'),
    noun: 'token request with a readable body',
    expected: 'grant_type, _, nostr and what the grant needs, each a string',
    passed: 'each grant carries its fields',
    fault: fieldsFault,
  }),
];

/** Any version of the path: `client/path-version` judges the version. */
function isTokenPath(path: string): boolean {
  return path === TOKEN_PATH || path.replace(/^(\/v\d+)?/, '/v1') === TOKEN_PATH;
}

const FIELD_OF_GRANT: Readonly<Record<string, string>> = {
  refresh_token: 'refresh_token',
  authorization_code: 'auth_code',
};

function fieldsFault(request: ParsedRequest): string | null {
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
    return `scope is not a string: ${quoted(scope)}`;
  }
  return null;
}
