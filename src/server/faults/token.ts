import { GRANT_TYPES } from '../../interface/index.ts';
import {
  acceptingAnyCase,
  acceptingNoTimestamp,
  acceptingUnsigned,
  digitsToken,
  entitlingPlatform,
  entitlingUser,
  filled,
  issuing,
  judgingNostr,
  LEFT_OUT,
  readingUnreadable,
  refusing,
  UNREADABLE,
  unsignedGuest,
  unsignedPartner,
  writing,
} from './broken-token-steps.ts';
import type { FaultsOf } from './fault.ts';
import { inPlaceOfRefusal } from './replace.ts';

/** Faults of the rules on token requests and their answers. */
export const TOKEN_FAULTS: FaultsOf<'token'> = {
  'token/grant-client-credentials': {
    how: '`client_credentials` is refused.',
    replace: { entitle: refusing('client_credentials') },
  },
  'token/grant-refresh-token': {
    how: '`refresh_token` is refused.',
    replace: { entitle: refusing('refresh_token') },
  },
  'token/grant-authorization-code': {
    how: '`authorization_code` is refused.',
    replace: { entitle: refusing('authorization_code') },
  },
  'token/json-body': {
    how: 'A body that is not JSON gets a platform token, unchecked.',
    replace: {
      parseBody: (parse) => inPlaceOfRefusal('token/json-body', parse, () => UNREADABLE),
      readGrant: readingUnreadable,
      refuseStale: acceptingNoTimestamp,
      signatures: acceptingUnsigned,
    },
  },
  'token/grant-type-required': {
    how: 'Without grant_type, `client_credentials` is taken.',
    replace: {
      readGrantType: (read) => (fields) => read(filled(fields, 'grant_type', 'client_credentials')),
    },
  },
  'token/grant-type-known': {
    how: 'An unknown grant_type is taken for `client_credentials`.',
    replace: {
      readGrantType: (read) => (fields) => {
        const { grant_type: given } = fields;
        const isText = typeof given === 'string' && given !== '';
        const isKnown = GRANT_TYPES.some((name) => name === given);
        return isText && !isKnown ? 'client_credentials' : read(fields);
      },
    },
  },
  'token/timestamp-required': {
    how: '`_` may be left out.',
    replace: {
      readGrant: (read) => (fields, grantType) => read(filled(fields, '_', LEFT_OUT), grantType),
      refuseStale: acceptingNoTimestamp,
    },
  },
  'token/timestamp-iso8601': {
    how: 'A `_` that is not ISO 8601 passes.',
    replace: {
      refuseStale: (refuse) => inPlaceOfRefusal('token/timestamp-iso8601', refuse, () => {}),
    },
  },
  'token/timestamp-fresh': {
    how: 'A `_` is refused from 5 minutes of age on.',
    replace: { freshnessLimits: (limits) => ({ ...limits, maxAgeMs: limits.maxAgeMs / 2 }) },
  },
  'token/timestamp-expired': {
    how: 'A `_` of any age passes.',
    replace: {
      freshnessLimits: (limits) => ({ ...limits, maxAgeMs: Number.POSITIVE_INFINITY }),
    },
  },
  'token/timestamp-unchecked-in-test': {
    how: 'The test environment checks `_` like production.',
    replace: { freshnessLimits: (limits) => ({ ...limits, isChecked: true }) },
  },
  'token/nostr-required': {
    how: 'nostr may be left out.',
    replace: {
      readGrant: (read) => (fields, grantType) =>
        read(filled(fields, 'nostr', '000000'), grantType),
    },
  },
  'token/nostr-length': {
    how: 'A nostr of any length passes.',
    replace: {
      readGrant: judgingNostr((nostr) => (/[^0-9A-Za-z]/.test(nostr) ? '-' : '0').repeat(6)),
    },
  },
  'token/nostr-alphabet': {
    how: 'A nostr of any 6 characters passes.',
    replace: { readGrant: judgingNostr((nostr) => nostr.replace(/[^0-9A-Za-z]/g, '0')) },
  },
  'token/nostr-case': {
    how: 'The signature may be that of the nostr in any other case.',
    replace: { signatures: acceptingAnyCase },
  },
  'token/refresh-token-required': {
    how: 'A refresh without a refresh_token gets a platform token.',
    replace: {
      readGrant: (read) => (fields, grantType) =>
        read(filled(fields, 'refresh_token', LEFT_OUT), grantType),
      entitle: entitlingPlatform(({ refreshToken }) => refreshToken === LEFT_OUT),
    },
  },
  'token/refresh-token-unknown': {
    how: 'An unknown refresh_token gets a platform token.',
    replace: {
      entitle: entitlingPlatform(
        ({ grantType, refreshToken }, partner, { tokens }) =>
          grantType === 'refresh_token' &&
          tokens.findRefresh(refreshToken) === undefined &&
          tokens.findUsedRefresh(refreshToken)?.partner !== partner,
      ),
    },
  },
  'token/auth-code-required': {
    how: 'A request without its auth_code gets a user token.',
    replace: {
      readGrant: (read) => (fields, grantType) =>
        read(filled(fields, 'auth_code', LEFT_OUT), grantType),
      entitle: entitlingUser(({ authCode }) => authCode === LEFT_OUT),
    },
  },
  'token/auth-code-unknown': {
    how: 'An unknown auth_code gets a user token.',
    replace: {
      entitle: entitlingUser(({ grantType, authCode }, partner, { authCodes }) => {
        const known = authCodes.find(partner, authCode);
        return grantType === 'authorization_code' && known === undefined;
      }),
    },
  },
  'token/partner-unknown': {
    how: 'An unknown partner gets a token, unsigned.',
    replace: {
      identify: (identify) => inPlaceOfRefusal('token/partner-unknown', identify, unsignedGuest),
      signatures: acceptingUnsigned,
    },
  },
  'token/authorization-required': {
    how: 'A request without Authorization gets a token.',
    replace: {
      identify: (identify) =>
        inPlaceOfRefusal('token/authorization-required', identify, unsignedPartner),
      signatures: acceptingUnsigned,
    },
  },
  'token/authorization-shape': {
    how: 'A request with an Authorization of any shape gets a token.',
    replace: {
      identify: (identify) =>
        inPlaceOfRefusal('token/authorization-shape', identify, unsignedPartner),
      signatures: acceptingUnsigned,
    },
  },
  'token/scope-default': {
    how: 'Without scope, the token says `public rides.read`.',
    replace: {
      entitle:
        (entitle) =>
        (...request) => {
          const entitlement = entitle(...request);
          if (entitlement.refreshed !== null) return entitlement;
          return { ...entitlement, defaultScope: 'public rides.read' };
        },
    },
  },
  'token/scope-echo': {
    how: 'Whatever scope is requested, the answer says `public`.',
    replace: { writeToken: writing(() => ({ scope: 'public' })) },
  },
  'token/response-status': {
    how: 'A token comes with status 201.',
    replace: { writeToken: (write) => (issued) => ({ ...write(issued), status: 201 }) },
  },
  'token/response-content-type': {
    how: 'The answer names the charset ISO-8859-1.',
    replace: {
      writeToken: (write) => (issued) => ({
        ...write(issued),
        contentType: 'application/json; charset=iso-8859-1',
      }),
    },
  },
  'token/response-access-token': {
    how: 'access_token is a number; its digits are good as a token.',
    replace: {
      tokens: (tokens) =>
        issuing(tokens, ({ accessToken }) => ({ accessToken: accessToken ?? digitsToken(tokens) })),
      writeToken: writing(({ accessToken }) => ({ access_token: Number(accessToken) })),
    },
  },
  'token/response-refresh-token': {
    how: 'refresh_token is a number; its digits are good as a token.',
    replace: {
      tokens: (tokens) => issuing(tokens, () => ({ refreshToken: digitsToken(tokens) })),
      writeToken: writing(({ refreshToken }) => ({ refresh_token: Number(refreshToken) })),
    },
  },
  'token/response-expires': {
    how: 'expires_in_second is a text.',
    replace: {
      writeToken: writing((_, { expires_in_second }) => ({
        expires_in_second: String(expires_in_second),
      })),
    },
  },
  'token/response-token-type': {
    how: 'token_type is `mac`.',
    replace: { writeToken: writing(() => ({ token_type: 'mac' })) },
  },
};
