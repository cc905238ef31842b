import { entitlingUser } from '../broken-token-steps.ts';
import { type FaultDefinition, type FaultForms, fault, inPlaceOfRefusal } from '../fault.ts';
import {
  findingNearAccess,
  findingNearCode,
  findingNearPartner,
  findingNearRefresh,
  NEAR,
} from '../near-texts.ts';
import { only } from '../only.ts';
import type { Replacement } from '../parts.ts';
import { FAULT_OF_RULE } from '../rules/all.ts';
import { withMethods } from '../with-methods.ts';
import { named } from './tables.ts';

/** Shapes of an Authorization that are read as the right one, by what stands in its place. */
const SHAPES: Readonly<Record<string, readonly [how: string, pattern: RegExp]>> = {
  'scheme-token': ['The scheme `Token` passes.', /^token +([^|\s]+)\|(.+)$/i],
  'scheme-digest': ['The scheme `Digest` passes.', /^digest +([^|\s]+)\|(.+)$/i],
  'scheme-oauth': ['The scheme `OAuth` passes.', /^oauth +([^|\s]+)\|(.+)$/i],
  'scheme-basic': ['The scheme `Basic` passes.', /^basic +([^|\s]+)\|(.+)$/i],
  'scheme-mac': ['The scheme `MAC` passes.', /^mac +([^|\s]+)\|(.+)$/i],
  'no-scheme': ['The scheme may be left out.', /^([^|\s]+)\|(.+)$/],
  'longer-scheme': ['A scheme that starts with `Bearer` passes.', /^bearer\S+ +([^|\s]+)\|(.+)$/i],
  colon: ['A colon passes for the bar.', /^bearer +([^|:\s]+):(.+)$/i],
  comma: ['A comma passes for the bar.', /^bearer +([^|,\s]+),(.+)$/i],
  space: ['A space passes for the bar.', /^bearer +([^|\s]+) ([^|\s]+)$/i],
};

/** Forms of the rules on partners, tokens, codes and headers: credentials that are nearly right. */
export const CREDENTIAL_FORMS: FaultForms = {
  ...named('auth/unknown-token', NEAR, ([how, isNear]) =>
    fault(`A valid access_token ${how} passes.`, { tokens: findingNearAccess(isNear) }),
  ),
  'auth/unknown-token#refresh-token': fault('A refresh_token passes for an access_token.', {
    tokens: (tokens) =>
      withMethods(tokens, {
        findAccess: (sent) => tokens.findAccess(sent) ?? tokens.findRefresh(sent),
      }),
  }),
  'auth/unknown-token#partner-id': fault('The partner id passes for an access_token.', {
    authorize: (authorize) => (authorization, state, nowMs) =>
      authorization.accessToken === authorization.partnerId
        ? (state.partners.find(authorization.partnerId) ?? authorize(authorization, state, nowMs))
        : authorize(authorization, state, nowMs),
  }),
  ...named('token/refresh-token-unknown', NEAR, ([how, isNear]) =>
    fault(`A valid refresh_token ${how} passes.`, { tokens: findingNearRefresh(isNear) }),
  ),
  'token/refresh-token-unknown#access-token': fault('An access_token passes for a refresh_token.', {
    tokens: (tokens) =>
      withMethods(tokens, {
        findRefresh: (sent) => tokens.findRefresh(sent) ?? tokens.findAccess(sent),
      }),
  }),
  'token/refresh-token-unknown#of-another-partner': fault(
    "Another partner's refresh_token passes.",
    {
      entitle: (entitle) => (partner, grant, state, nowMs) => {
        const owner = state.tokens.findRefresh(grant.refreshToken)?.partner;
        return entitle(owner ?? partner, grant, state, nowMs);
      },
    },
  ),
  ...named('token/auth-code-unknown', NEAR, ([how, isNear]) =>
    fault(`A valid auth_code ${how} passes.`, { authCodes: findingNearCode(isNear) }),
  ),
  'token/auth-code-unknown#of-another-partner': fault("Another partner's auth_code passes.", {
    authCodes: (codes, inHand) =>
      withMethods(codes, {
        find: (partner, code) =>
          codes.find(partner, code) ??
          inHand.partners.map((one) => codes.find(one, code)).find((one) => one !== undefined),
      }),
  }),
  'token/auth-code-unknown#access-token': tokenForCode('An access_token', (text, { tokens }) =>
    tokens.findAccess(text),
  ),
  'token/auth-code-unknown#refresh-token': tokenForCode('A refresh_token', (text, { tokens }) =>
    tokens.findRefresh(text),
  ),
  ...named('token/partner-unknown', NEAR, ([how, isNear]) =>
    fault(`The id of a partner ${how} passes, signed with its key.`, {
      partners: findingNearPartner(isNear),
    }),
  ),
  ...named('token/authorization-shape', SHAPES, ([how, pattern]) =>
    fault(how, {
      identify: (find) => (header, partners) =>
        inPlaceOfRefusal('token/authorization-shape', find, () =>
          find(header?.replace(pattern, 'Bearer $1|$2'), partners),
        )(header, partners),
    }),
  ),
  ...named('auth/scheme', SHAPES, ([how, pattern]) =>
    fault(how, { readAuthorization: reshaping(pattern) }),
  ),
  'auth/scheme#platform-only': only(
    FAULT_OF_RULE['auth/scheme'],
    "With a platform's header",
    (one) => !one.isSignedEstimate,
  ),
  'auth/scheme#user-only': only(
    FAULT_OF_RULE['auth/scheme'],
    "With a user's header",
    (one) => one.isSignedEstimate,
  ),
};

function reshaping(pattern: RegExp): Replacement<'readAuthorization'> {
  return (read) => (header) =>
    inPlaceOfRefusal('auth/scheme', read, () => read(header?.replace(pattern, 'Bearer $1|$2')))(
      header,
    );
}

function tokenForCode(
  what: string,
  find: (text: string, state: Parameters<Parameters<typeof entitlingUser>[0]>[2]) => unknown,
): FaultDefinition {
  return fault(`${what} passes for an auth_code, and gets a user token.`, {
    entitle: entitlingUser(
      ({ grantType, authCode }, _, state) =>
        grantType === 'authorization_code' && find(authCode, state) !== undefined,
    ),
  });
}
