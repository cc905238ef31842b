import type { EstimateAuthorization } from '../service/authorization.ts';
import type { EstimateSteps } from '../service/estimate/estimate-endpoint.ts';
import { type FaultsOf, fault, inPlaceOfRefusal } from './fault.ts';
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

type Authorize = EstimateSteps['authorize'];

/** The partner that a header names, which was found before its token was judged. */
function namedPartner(
  { partnerId }: EstimateAuthorization,
  { partners }: Parameters<Authorize>[1],
): ReturnType<Authorize> {
  return partners.find(partnerId)!;
}
