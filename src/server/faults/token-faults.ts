import type { ServiceRuleId } from '../../interface/index.ts';
import type { FaultText } from './fault.ts';
import { alone } from './fault.ts';

type TokenRule = Extract<ServiceRuleId, `token/${string}`>;

/** How each rule on token requests and their answers is broken. */
export const TOKEN_FAULTS: Readonly<Record<TokenRule, FaultText>> = {
  'token/grant-client-credentials': alone('`client_credentials` is refused.'),
  'token/grant-refresh-token': alone('`refresh_token` is refused.'),
  'token/grant-authorization-code': alone('`authorization_code` is refused.'),
  'token/json-body': alone('A body that is not JSON gets a platform token, unchecked.'),
  'token/grant-type-required': alone('Without grant_type, `client_credentials` is taken.'),
  'token/grant-type-known': alone('An unknown grant_type is taken for `client_credentials`.'),
  'token/timestamp-required': alone('`_` may be left out.'),
  'token/timestamp-iso8601': alone('A `_` that is not ISO 8601 passes.'),
  'token/timestamp-fresh': alone('A `_` is refused from 5 minutes of age on.'),
  'token/timestamp-expired': alone('A `_` of any age passes.'),
  'token/timestamp-unchecked-in-test': alone('The test environment checks `_` like production.'),
  'token/nostr-required': alone('nostr may be left out.'),
  'token/nostr-length': alone('A nostr of any length passes.'),
  'token/nostr-alphabet': alone('A nostr of any 6 characters passes.'),
  'token/nostr-case': alone('The signature may be that of the nostr in any other case.'),
  'token/refresh-token-required': alone('A refresh without a refresh_token gets a platform token.'),
  'token/refresh-token-unknown': alone('An unknown refresh_token gets a platform token.'),
  'token/auth-code-required': alone('A request without its auth_code gets a user token.'),
  'token/auth-code-unknown': alone('An unknown auth_code gets a user token.'),
  'token/partner-unknown': alone('An unknown partner gets a token, unsigned.'),
  'token/authorization-required': alone('A request without Authorization gets a token.'),
  'token/authorization-shape': alone('A request with an Authorization of any shape gets a token.'),
  'token/scope-default': alone('Without scope, the token says `public rides.read`.'),
  'token/scope-echo': alone('Whatever scope is requested, the answer says `public`.'),
  'token/response-status': alone('A token comes with status 201.'),
  'token/response-content-type': alone('The answer names the charset ISO-8859-1.'),
  'token/response-access-token': alone('access_token is a number; its digits are good as a token.'),
  'token/response-refresh-token': alone(
    'refresh_token is a number; its digits are good as a token.',
  ),
  'token/response-expires': alone('expires_in_second is a text.'),
  'token/response-token-type': alone('token_type is `mac`.'),
};
