import type { ServiceRuleText } from './rule.ts';

/** Rules for a service about the authorization of estimate requests. */
export const AUTH_RULES = [
  {
    id: 'auth/authorization-required',
    level: 'must',
    statement: 'The service refuses an estimate request without `Authorization`.',
    section: 'Authentication',
    needs: ['partner'],
  },
  {
    id: 'auth/scheme',
    level: 'must',
    statement: 'The service refuses an estimate request with another scheme than Bearer.',
    section: 'Authentication',
    needs: ['partner'],
  },
  {
    id: 'auth/unknown-token',
    level: 'must',
    statement: 'The service refuses an `access_token` that was never issued.',
    section: 'Authentication',
    needs: ['partner'],
  },
  {
    id: 'auth/user-signature',
    level: 'must',
    statement: 'The service refuses `Bearer ID|SIGN openid|TOKEN` with a wrong signature.',
    section: 'Authentication',
    needs: ['partner', 'code'],
  },
  {
    id: 'auth/scope-public',
    level: 'must',
    statement: 'The service refuses an estimate request whose token lacks scope `public`.',
    section: 'Authentication',
    needs: ['partner'],
  },
  {
    id: 'auth/token-of-partner',
    level: 'should',
    statement: "The service refuses a token that is sent with another partner's id.",
    section: 'Authentication',
    needs: ['two-partners'],
  },
] as const satisfies readonly ServiceRuleText[];
