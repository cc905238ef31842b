import { DURATION_WORDS } from '../limits.ts';
import { must, rulesOf, should } from './rule.ts';

/** Rules for a service about token requests and token responses. */
export const TOKEN_RULES = rulesOf('service', ['partner'], {
  'token/grant-client-credentials': must(
    'The service responds to grant type `client_credentials` with a platform token.',
    'What the service does',
  ),
  'token/grant-refresh-token': must(
    'The service responds to grant type `refresh_token` with a new token.',
    'What the service does',
  ),
  'token/grant-authorization-code': must(
    'The service responds to grant type `authorization_code` with a user token.',
    'What the service does',
    { needs: ['partner', 'code'] },
  ),
  'token/json-body': must(
    'The service refuses a token request whose body is not JSON.',
    '1. Request, refresh or exchange a token',
  ),
  'token/grant-type-required': must(
    'The service refuses a token request without `grant_type`.',
    'Token request body',
  ),
  'token/grant-type-known': must(
    'The service refuses a `grant_type` other than the three documented ones.',
    'Token request body',
  ),
  'token/timestamp-required': must(
    'The service refuses a token request without `_`.',
    'Token request body',
  ),
  'token/timestamp-iso8601': must(
    'Outside the test environment, the service refuses a `_` that is not ISO 8601.',
    'Token request body',
  ),
  'token/timestamp-fresh': must(
    `The service accepts a \`_\` less than ${DURATION_WORDS.timestampValidity} old.`,
    'Limits',
  ),
  'token/timestamp-expired': must(
    `Outside the test environment, the service refuses a \`_\` older than ${DURATION_WORDS.timestampValidity}.`,
    'Limits',
  ),
  'token/timestamp-unchecked-in-test': must(
    'In the test environment, the service accepts an old `_`.',
    'Token request body',
    { needs: ['partner', 'test-environment'] },
  ),
  'token/nostr-required': must(
    'The service refuses a token request without `nostr`.',
    'Token request body',
  ),
  'token/nostr-length': must(
    'The service refuses a `nostr` of 5 or 7 characters.',
    'Token request body',
  ),
  'token/nostr-alphabet': must(
    'The service refuses a `nostr` that contains anything but digits and letters.',
    'Token request body',
  ),
  'token/nostr-case': must(
    'The service treats `nostr` as case-sensitive: it refuses a `nostr` whose case changed after signing.',
    'Token request body',
  ),
  'token/refresh-token-required': must(
    'The service refuses grant type `refresh_token` without a `refresh_token`.',
    'Token request body',
  ),
  'token/refresh-token-unknown': must(
    'The service refuses a `refresh_token` that was never issued.',
    '1. Request, refresh or exchange a token',
  ),
  'token/auth-code-required': must(
    'The service refuses grant type `authorization_code` without an `auth_code`.',
    'Token request body',
  ),
  'token/auth-code-unknown': should(
    'The service refuses an `auth_code` that was never issued.',
    '1. Request, refresh or exchange a token',
  ),
  'token/partner-unknown': must('The service refuses an unknown partner id.', 'Authentication', {
    needs: [],
  }),
  'token/authorization-required': must(
    'The service refuses a token request without `Authorization`.',
    'Authentication',
  ),
  'token/authorization-shape': must(
    'The service refuses a token request whose `Authorization` has another scheme than Bearer or no `|`.',
    'Authentication',
  ),
  'token/scope-default': must(
    'A token requested without `scope` has the scope `public`.',
    'Scope values',
  ),
  'token/scope-echo': must(
    'The `scope` of a token response equals the scope requested, also when several are requested.',
    'Token response body',
  ),
  'token/response-status': must(
    'The service responds to a successful token request with HTTP 200.',
    'Token response body',
  ),
  'token/response-content-type': must(
    'The body of a token response is JSON in UTF-8; a charset, if the header names one, is UTF-8.',
    'Token response body',
  ),
  'token/response-access-token': must(
    'In a token response, `access_token` is a non-empty string.',
    'Token response body',
  ),
  'token/response-refresh-token': must(
    'In a token response, `refresh_token` is a non-empty string.',
    'Token response body',
  ),
  'token/response-expires': must(
    'In a token response, `expires_in_second` is a positive integer.',
    'Token response body',
  ),
  'token/response-token-type': must(
    'In a token response, `token_type` is the bearer type (`bearer`, or `bear` as declared).',
    'Token response body',
  ),
});
