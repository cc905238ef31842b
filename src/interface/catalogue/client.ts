import { DURATION_WORDS, LIMITS } from '../limits.ts';
import { must, rulesOf, should } from './rule.ts';

/** Rules for a partner's client, judged from its own traffic. */
export const CLIENT_RULES = rulesOf('client', [], {
  'client/path-version': must(
    'Every path that the client requests starts with `/v1/`.',
    'Versioning',
  ),
  'client/token-method': must(
    'The client requests tokens with POST to `/v1/oauth/token`.',
    '1. Request, refresh or exchange a token',
  ),
  'client/token-content-type': must(
    'The client sends token requests with `Content-Type: application/json` and a JSON body.',
    '1. Request, refresh or exchange a token',
  ),
  'client/token-authorization': must(
    'The client sends token requests with `Authorization: Bearer ID|SIGN`.',
    'Authentication',
  ),
  'client/signature': must(
    'The client computes SIGN correctly; for a wrong one, the report names the mistake that explains it.',
    'Signature algorithm',
  ),
  'client/grant-fields': must(
    'The client sends each grant with its required fields (`nostr` and `_` included), with their types.',
    '1. Request, refresh or exchange a token',
  ),
  'client/timestamp-iso8601': must(
    'The client sends `_` in ISO 8601 format.',
    'Token request body',
  ),
  'client/timestamp-fresh': must(
    `The client sends a \`_\` within ${DURATION_WORDS.timestampValidity} of the server's clock.`,
    'Limits',
  ),
  'client/nostr': must(
    'The client sends a `nostr` of six digits and letters.',
    'Token request body',
  ),
  'client/nostr-random': should('The client does not repeat a `nostr`.', 'Token request body'),
  'client/scope-known': must(
    'The client requests only scopes that the interface names.',
    'Scope values',
  ),
  'client/scope-on-behalf': must(
    'A client that orders on behalf of users, who have no contact with the service, requests `public`, `rides.read` and `rides.request`. The partner declares whether it does.',
    'Scope values',
  ),
  'client/quota-platform': must(
    `The client sends at most ${LIMITS.platformTokensPerDay} platform token requests a day.`,
    'Limits',
  ),
  'client/quota-user': must(
    `The client sends at most ${LIMITS.userTokensPerDay} user token requests a day.`,
    'Limits',
  ),
  'client/quota-refresh': must(
    `The client sends at most ${LIMITS.refreshesPerDay} refreshes a day.`,
    'Limits',
  ),
  'client/ban-respected': should(
    'The client stops requesting tokens after three token requests refused in a row.',
    'Limits',
  ),
  'client/token-reused': should(
    'The client reuses a valid token instead of requesting a new one for each estimate.',
    'States and transitions',
  ),
  'client/refresh-single-use': must(
    'The client sends a `refresh_token` only once, also after a lost response. After an explicit refusal it was not used, and sending it again warns at most.',
    'Limits',
  ),
  'client/refresh-newest': must(
    'The client sends the newest `refresh_token` that it received.',
    'Token response body',
  ),
  'client/expiry-respected': must(
    'The client sends no estimate request with a token whose `expires_in_second` has elapsed, counted from the last byte of the response, with 250 ms of grace beside the delay that the harness itself measured.',
    'States and transitions',
  ),
  'client/expired-refreshed': should(
    'The client replaces an expired token through a refresh.',
    'States and transitions',
  ),
  'client/user-token-newest': must(
    'The client uses only the newest of the user tokens that it received; it does not use one that was superseded elsewhere again after its first refusal. No status says so: uses before two refusals warn.',
    'States and transitions',
  ),
  'client/estimate-method': must('The client requests estimates with GET.', '2. Estimate prices'),
  'client/estimate-content-type': must(
    'The client sends estimate requests with `Content-Type: application/x-www-form-urlencoded`.',
    '2. Estimate prices',
  ),
  'client/estimate-authorization': must(
    'The client sends estimate requests with one of the two documented `Authorization` values.',
    'Authentication',
  ),
  'client/estimate-parameters': must(
    'The client sends every required parameter, well formed.',
    '2. Estimate prices',
  ),
  'client/estimate-encoding': must(
    'The client encodes the query as percent-encoded UTF-8 (`+` for a space is correct).',
    '2. Estimate prices',
  ),
  'client/departure-time': should(
    'The client sends `departure_time`, if at all, as a Unix time in seconds.',
    '2. Estimate prices',
  ),
  'client/failure-handled': must(
    'The client does not treat a response other than 200 as a success: it never uses a token or an estimate that it carries.',
    'Errors',
  ),
  'client/lost-answer-handled': must(
    'The client continues after a connection that broke mid-response, without breaking any rule listed before this one.',
    'Limits',
  ),
  'client/carpool-tolerated': must(
    'The client continues after carpool records of every documented shape, with `carpool_tag` as a string and as an integer.',
    'Estimate record',
  ),
  'client/unknown-fields-tolerated': should(
    'The client continues after records with fields that it does not know.',
    'Estimate record',
  ),
  'client/key-never-sent': must(
    'The client sends its signing key in no request, in no place and in no encoding that SECURITY.md lists.',
    'Signature algorithm',
  ),
  'client/secrets-in-place': should(
    'The client sends access tokens, refresh tokens and auth codes only where the interface puts them: never in an address, a cookie or another header, and to no other origin, after a redirect either.',
    'Authentication',
  ),
  'client/retry-paced': should(
    'After a response other than 200 or a broken connection, the client sends at most three more requests of that kind within a second; it keeps a `Retry-After`.',
    'Errors',
  ),
});
