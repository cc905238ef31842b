import { SHAPES } from '../authorization-shapes.ts';
import { entitlingUser } from '../broken-token-steps.ts';
import { type FaultDefinition, type FaultForms, fault, inPlaceOfRefusal } from '../fault.ts';
import { findingNearCode, findingNearPartner, findingNearRefresh, NEAR } from '../near-texts.ts';
import { named } from '../tables.ts';
import { withMethods } from '../with-methods.ts';

/** Forms of the rules on partners, tokens and codes: credentials that are nearly right. */
export const CREDENTIAL_FORMS: FaultForms = {
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
};

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
