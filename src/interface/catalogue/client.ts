import type { RuleText } from './rule.ts';

/** Rules for a partner's client, judged from its own traffic. */
export const CLIENT_RULES = [
  {
    id: 'client/path-version',
    level: 'must',
    statement: 'Every path that the client requests starts with `/v1/`.',
    section: 'Versioning',
  },
  {
    id: 'client/token-method',
    level: 'must',
    statement: 'The client requests tokens with POST to `/v1/oauth/token`.',
    section: '1. Request, refresh or exchange a token',
  },
  {
    id: 'client/token-content-type',
    level: 'must',
    statement:
      'The client sends token requests with `Content-Type: application/json` and a JSON body.',
    section: '1. Request, refresh or exchange a token',
  },
  {
    id: 'client/token-authorization',
    level: 'must',
    statement: 'The client sends token requests with `Authorization: Bearer ID|SIGN`.',
    section: 'Authentication',
  },
  {
    id: 'client/signature',
    level: 'must',
    statement:
      'The client computes SIGN correctly; for a wrong one, the report names the mistake that explains it.',
    section: 'Signature algorithm',
  },
  {
    id: 'client/grant-fields',
    level: 'must',
    statement:
      'The client sends each grant with its required fields (`nostr` and `_` included), with their types.',
    section: '1. Request, refresh or exchange a token',
  },
  {
    id: 'client/timestamp-iso8601',
    level: 'must',
    statement: 'The client sends `_` in ISO 8601 format.',
    section: 'Token request body',
  },
  {
    id: 'client/timestamp-fresh',
    level: 'must',
    statement: "The client sends a `_` within 10 minutes of the server's clock.",
    section: 'Limits',
  },
  {
    id: 'client/nostr',
    level: 'must',
    statement: 'The client sends a `nostr` of six digits and letters.',
    section: 'Token request body',
  },
  {
    id: 'client/nostr-random',
    level: 'should',
    statement: 'The client does not repeat a `nostr`.',
    section: 'Token request body',
  },
  {
    id: 'client/scope-known',
    level: 'must',
    statement: 'The client requests only scopes that the interface names.',
    section: 'Scope values',
  },
  {
    id: 'client/scope-on-behalf',
    level: 'must',
    statement:
      'A client that orders on behalf of users requests `public`, `rides.read` and `rides.request`.',
    section: 'Scope values',
  },
  {
    id: 'client/quota-platform',
    level: 'must',
    statement: 'The client sends at most 10 platform token requests a day.',
    section: 'Limits',
  },
  {
    id: 'client/quota-user',
    level: 'must',
    statement: 'The client sends at most 5 user token requests a day.',
    section: 'Limits',
  },
  {
    id: 'client/quota-refresh',
    level: 'must',
    statement: 'The client sends at most 10 refreshes a day.',
    section: 'Limits',
  },
  {
    id: 'client/ban-respected',
    level: 'should',
    statement: 'The client stops requesting tokens after three refusals in a row.',
    section: 'Limits',
  },
  {
    id: 'client/token-reused',
    level: 'should',
    statement: 'The client reuses a valid token instead of requesting a new one for each estimate.',
    section: 'States and transitions',
  },
  {
    id: 'client/refresh-single-use',
    level: 'must',
    statement: 'The client sends a `refresh_token` only once, also after a lost answer.',
    section: 'Limits',
  },
  {
    id: 'client/refresh-newest',
    level: 'must',
    statement: 'The client sends the newest `refresh_token` that it received.',
    section: 'Token response body',
  },
  {
    id: 'client/expiry-respected',
    level: 'must',
    statement:
      'The client sends no estimate request with a token whose `expires_in_second` has elapsed, counted from the last byte of the answer, with 250 ms of grace.',
    section: 'States and transitions',
  },
  {
    id: 'client/expired-refreshed',
    level: 'should',
    statement: 'The client replaces an expired token through a refresh.',
    section: 'States and transitions',
  },
  {
    id: 'client/user-token-newest',
    level: 'must',
    statement:
      'The client uses only the newest of the user tokens that it received; it does not use one that was superseded elsewhere again after its first refusal.',
    section: 'States and transitions',
  },
  {
    id: 'client/estimate-method',
    level: 'must',
    statement: 'The client requests estimates with GET.',
    section: '2. Estimate prices',
  },
  {
    id: 'client/estimate-content-type',
    level: 'must',
    statement:
      'The client sends estimate requests with `Content-Type: application/x-www-form-urlencoded`.',
    section: '2. Estimate prices',
  },
  {
    id: 'client/estimate-authorization',
    level: 'must',
    statement:
      'The client sends estimate requests with one of the two documented `Authorization` values.',
    section: 'Authentication',
  },
  {
    id: 'client/estimate-parameters',
    level: 'must',
    statement: 'The client sends every required parameter, well formed.',
    section: '2. Estimate prices',
  },
  {
    id: 'client/estimate-encoding',
    level: 'must',
    statement:
      'The client encodes the query as percent-encoded UTF-8 (`+` for a space is correct).',
    section: '2. Estimate prices',
  },
  {
    id: 'client/departure-time',
    level: 'should',
    statement: 'The client sends `departure_time`, if at all, as a Unix time in seconds.',
    section: '2. Estimate prices',
  },
  {
    id: 'client/failure-handled',
    level: 'must',
    statement:
      'The client does not treat an answer other than 200 as a success: it never uses a token or an estimate from it.',
    section: 'Errors',
  },
  {
    id: 'client/lost-answer-handled',
    level: 'must',
    statement:
      'The client continues after a connection that broke mid-answer, without breaking any rule listed before this one.',
    section: 'Limits',
  },
  {
    id: 'client/carpool-tolerated',
    level: 'must',
    statement:
      'The client continues after carpool records of every documented shape, with `carpool_tag` as a string and as an integer.',
    section: 'Estimate record',
  },
  {
    id: 'client/unknown-fields-tolerated',
    level: 'should',
    statement: 'The client continues after records with fields that it does not know.',
    section: 'Estimate record',
  },
] as const satisfies readonly RuleText[];
