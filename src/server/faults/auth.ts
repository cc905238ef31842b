import type { EstimateAuthorization } from '../service/authorization.ts';
import type { EstimateSteps } from '../service/estimate/estimate-endpoint.ts';
import { SHAPES } from './authorization-shapes.ts';
import { type FaultForms, type FaultsOf, fault, inPlaceOfRefusal } from './fault.ts';
import { findingNearAccess, NEAR } from './near-texts.ts';
import { only } from './only.ts';
import type { Replacement } from './parts.ts';
import { named } from './tables.ts';
import { withMethods } from './with-methods.ts';

/** Placeholder for an Authorization that was left out. */
const ANONYMOUS: EstimateAuthorization = { partnerId: '', signature: null, accessToken: '' };

/** Faults of the rules on the authorization of estimates. */
export const AUTH_FAULTS: FaultsOf<'auth'> = {
  'auth/authorization-required': fault('An estimate without Authorization is answered.', {
    readAuthorization: (read) =>
      inPlaceOfRefusal('auth/authorization-required', read, () => ANONYMOUS),
    authorize: (authorize) => (authorization, state, nowMs) => {
      const first = authorization === ANONYMOUS ? state.partners.at(0) : undefined;
      return first ?? authorize(authorization, state, nowMs);
    },
  }),
  'auth/scheme': fault('Any scheme passes before the same credentials.', {
    readAuthorization: (read) => (header) =>
      read(header && `Bearer ${header.replace(/^\S+ +(?=[^ ]*\|)/, '')}`),
  }),
  'auth/unknown-token': fault('An access token that was never issued passes.', {
    authorize: (authorize) => inPlaceOfRefusal('auth/unknown-token', authorize, namedPartner),
  }),
  'auth/user-signature': fault('The signature of a user estimate is not checked.', {
    signatures: (check) => withMethods(check, { isEstimateSigned: () => true }),
  }),
  'auth/scope-public': fault('A token without scope `public` passes.', {
    authorize: (authorize) => inPlaceOfRefusal('auth/scope-public', authorize, namedPartner),
  }),
  'auth/token-of-partner': fault("Another partner's token passes.", {
    authorize: (authorize) =>
      inPlaceOfRefusal('auth/token-of-partner', authorize, (authorization, state, nowMs) => {
        const owner = state.tokens.findAccess(authorization.accessToken)?.partner.id ?? '';
        authorize({ ...authorization, partnerId: owner }, state, nowMs);
        return namedPartner(authorization, state);
      }),
  }),
};

/** Forms of the rules on the authorization of estimates. */
export const AUTH_FORMS: FaultForms = {
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
  ...named('auth/scheme', SHAPES, ([how, pattern]) =>
    fault(how, { readAuthorization: reshaping(pattern) }),
  ),
  'auth/scheme#platform-only': only(
    AUTH_FAULTS['auth/scheme'],
    "With a platform's header",
    (one) => !one.isSignedEstimate,
  ),
  'auth/scheme#user-only': only(
    AUTH_FAULTS['auth/scheme'],
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

type Authorize = EstimateSteps['authorize'];

/** The partner that a header names, which was found before its token was judged. */
function namedPartner(
  { partnerId }: EstimateAuthorization,
  { partners }: Parameters<Authorize>[1],
): ReturnType<Authorize> {
  return partners.find(partnerId)!;
}
