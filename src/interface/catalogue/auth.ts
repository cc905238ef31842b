import { must, rulesOf, should } from './rule.ts';

/** Rules for a service about the authorization of estimate requests. */
export const AUTH_RULES = rulesOf('service', ['partner'], {
  'auth/authorization-required': must(
    'The service refuses an estimate request without `Authorization`.',
    'Authentication',
  ),
  'auth/scheme': must(
    'The service refuses an estimate request with another scheme than Bearer.',
    'Authentication',
  ),
  'auth/unknown-token': must(
    'The service refuses an `access_token` that was never issued.',
    'Authentication',
  ),
  'auth/user-signature': must(
    'The service refuses `Bearer ID|SIGN openid|TOKEN` with a wrong signature.',
    'Authentication',
    { needs: ['partner', 'code'] },
  ),
  'auth/scope-public': must(
    'The service refuses an estimate request whose token lacks scope `public`.',
    'Authentication',
  ),
  'auth/token-of-partner': should(
    "The service refuses a token that is sent with another partner's id.",
    'Authentication',
    { needs: ['two-partners'] },
  ),
});
