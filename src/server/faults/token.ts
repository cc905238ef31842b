import { GRANT_TYPES } from '../../interface/index.ts';
import { isAbsent } from '../service/token/token-fields.ts';
import {
  acceptingAnyCase,
  acceptingNoTimestamp,
  acceptingUnsigned,
  digitsToken,
  entitlingPlatform,
  entitlingUser,
  filling,
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
import { type FaultsOf, fault, inPlaceOfRefusal } from './fault.ts';

/** Faults of the rules on token requests and their answers. */
export const TOKEN_FAULTS: FaultsOf<'token'> = {
  'token/grant-client-credentials': fault('`client_credentials` is refused.', {
    entitle: refusing('client_credentials'),
  }),
  'token/grant-refresh-token': fault('`refresh_token` is refused.', {
    entitle: refusing('refresh_token'),
  }),
  'token/grant-authorization-code': fault('`authorization_code` is refused.', {
    entitle: refusing('authorization_code'),
  }),
  'token/json-body': fault('A body that is not JSON gets a platform token, unchecked.', {
    parseBody: (parse) => inPlaceOfRefusal('token/json-body', parse, () => UNREADABLE),
    readGrant: readingUnreadable,
    refuseStale: acceptingNoTimestamp,
    signatures: acceptingUnsigned,
  }),
  'token/grant-type-required': fault('Without grant_type, `client_credentials` is taken.', {
    readGrantType: (read) => (fields) =>
      isAbsent(fields['grant_type']) ? 'client_credentials' : read(fields),
  }),
  'token/grant-type-known': fault('An unknown grant_type is taken for `client_credentials`.', {
    readGrantType: (read) => (fields) => {
      const { grant_type: given } = fields;
      const isText = typeof given === 'string' && given !== '';
      const isKnown = GRANT_TYPES.some((name) => name === given);
      return isText && !isKnown ? 'client_credentials' : read(fields);
    },
  }),
  'token/timestamp-required': fault('`_` may be left out.', {
    readGrant: filling('_'),
    refuseStale: acceptingNoTimestamp,
  }),
  'token/timestamp-iso8601': fault('A `_` that is not ISO 8601 passes.', {
    refuseStale: (refuse) => inPlaceOfRefusal('token/timestamp-iso8601', refuse, () => {}),
  }),
  'token/timestamp-fresh': fault('A `_` is refused from 5 minutes of age on.', {
    freshnessLimits: (limits) => ({ ...limits, maxAgeMs: limits.maxAgeMs / 2 }),
  }),
  'token/timestamp-expired': fault('A `_` of any age passes.', {
    freshnessLimits: (limits) => ({ ...limits, maxAgeMs: Number.POSITIVE_INFINITY }),
  }),
  'token/timestamp-unchecked-in-test': fault('The test environment checks `_` like production.', {
    freshnessLimits: (limits) => ({ ...limits, isChecked: true }),
  }),
  'token/nostr-required': fault('nostr may be left out.', {
    readGrant: filling('nostr', '000000'),
  }),
  'token/nostr-length': fault('A nostr of any length passes.', {
    readGrant: judgingNostr((nostr) => (/[^0-9A-Za-z]/.test(nostr) ? '-' : '0').repeat(6)),
  }),
  'token/nostr-alphabet': fault('A nostr of any 6 characters passes.', {
    readGrant: judgingNostr((nostr) => nostr.replace(/[^0-9A-Za-z]/g, '0')),
  }),
  'token/nostr-case': fault('The signature may be that of the nostr in any other case.', {
    signatures: acceptingAnyCase,
  }),
  'token/refresh-token-required': fault(
    'A refresh without a refresh_token gets a platform token.',
    {
      readGrant: filling('refresh_token'),
      entitle: entitlingPlatform(({ refreshToken }) => refreshToken === LEFT_OUT),
    },
  ),
  'token/refresh-token-unknown': fault('An unknown refresh_token gets a platform token.', {
    entitle: entitlingPlatform(
      ({ grantType, refreshToken }, partner, { tokens }) =>
        grantType === 'refresh_token' &&
        tokens.findRefresh(refreshToken) === undefined &&
        tokens.findUsedRefresh(refreshToken)?.partner !== partner,
    ),
  }),
  'token/auth-code-required': fault('A request without its auth_code gets a user token.', {
    readGrant: filling('auth_code'),
    entitle: entitlingUser(({ authCode }) => authCode === LEFT_OUT),
  }),
  'token/auth-code-unknown': fault('An unknown auth_code gets a user token.', {
    entitle: entitlingUser(({ grantType, authCode }, partner, { authCodes }) => {
      const known = authCodes.find(partner, authCode);
      return grantType === 'authorization_code' && known === undefined;
    }),
  }),
  'token/partner-unknown': fault('An unknown partner gets a token, unsigned.', {
    identify: (find) => inPlaceOfRefusal('token/partner-unknown', find, unsignedGuest),
    signatures: acceptingUnsigned,
  }),
  'token/authorization-required': fault('A request without Authorization gets a token.', {
    identify: (find) => inPlaceOfRefusal('token/authorization-required', find, unsignedPartner),
    signatures: acceptingUnsigned,
  }),
  'token/authorization-shape': fault('A request with an Authorization of any shape gets a token.', {
    identify: (find) => inPlaceOfRefusal('token/authorization-shape', find, unsignedPartner),
    signatures: acceptingUnsigned,
  }),
  'token/scope-default': fault('Without scope, the token says `public rides.read`.', {
    entitle:
      (entitle) =>
      (...request) => {
        const entitlement = entitle(...request);
        if (entitlement.refreshed !== null) return entitlement;
        return { ...entitlement, defaultScope: 'public rides.read' };
      },
  }),
  'token/scope-echo': fault('Whatever scope is requested, the response says `public`.', {
    writeToken: writing(() => ({ scope: 'public' })),
  }),
  'token/response-status': fault('A token comes with status 201.', {
    writeToken: (write) => (issued) => ({ ...write(issued), status: 201 }),
  }),
  'token/response-content-type': fault('The response names the charset ISO-8859-1.', {
    writeToken: (write) => (issued) => ({
      ...write(issued),
      contentType: 'application/json; charset=iso-8859-1',
    }),
  }),
  'token/response-access-token': fault(
    'access_token is a number; its digits are valid as a token.',
    {
      tokens: issuing(({ accessToken }, tokens) => ({
        accessToken: accessToken ?? digitsToken(tokens),
      })),
      writeToken: writing(({ accessToken }) => ({ access_token: Number(accessToken) })),
    },
  ),
  'token/response-refresh-token': fault(
    'refresh_token is a number; its digits are valid as a token.',
    {
      tokens: issuing((_, tokens) => ({ refreshToken: digitsToken(tokens) })),
      writeToken: writing(({ refreshToken }) => ({ refresh_token: Number(refreshToken) })),
    },
  ),
  'token/response-expires': fault('expires_in_second is a text.', {
    writeToken: writing((_, { expires_in_second }) => ({
      expires_in_second: String(expires_in_second),
    })),
  }),
  'token/response-token-type': fault('token_type is `mac`.', {
    writeToken: writing(() => ({ token_type: 'mac' })),
  }),
};
