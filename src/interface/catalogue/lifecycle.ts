import type { ServiceRuleText } from './rule.ts';

/** Rules for a service about the life of a token. */
export const LIFECYCLE_RULES = [
  {
    id: 'lifecycle/refresh-rotates',
    level: 'must',
    statement: 'A refresh yields a new `access_token` and a new `refresh_token`.',
    section: 'States and transitions',
    needs: ['partner'],
  },
  {
    id: 'lifecycle/refresh-single-use',
    level: 'must',
    statement: 'The service refuses a used `refresh_token`.',
    section: 'Limits',
    needs: ['partner'],
  },
  {
    id: 'lifecycle/refresh-single-use-concurrent',
    level: 'must',
    statement: 'Of several refreshes sent at once with one `refresh_token`, exactly one succeeds.',
    section: 'States and transitions',
    needs: ['partner'],
  },
  {
    id: 'lifecycle/refresh-never-expires',
    level: 'must',
    statement: 'An unused `refresh_token` works long after its `access_token` expired.',
    section: 'States and transitions',
    needs: ['control'],
  },
  {
    id: 'lifecycle/platform-tokens-coexist',
    level: 'must',
    statement: 'An earlier platform token stays valid beside a newer one.',
    section: 'States and transitions',
    needs: ['partner'],
  },
  {
    id: 'lifecycle/user-token-newest-only',
    level: 'must',
    statement: "Of one user's tokens, only the newest is valid.",
    section: 'States and transitions',
    needs: ['partner', 'code'],
  },
  {
    id: 'lifecycle/access-token-valid-until-expiry',
    level: 'must',
    statement: 'An `access_token` works until just before `expires_in_second` has elapsed.',
    section: 'States and transitions',
    needs: ['control'],
  },
  {
    id: 'lifecycle/access-token-expires',
    level: 'must',
    statement: 'The service refuses an `access_token` once `expires_in_second` has elapsed.',
    section: 'States and transitions',
    needs: ['control'],
  },
  {
    id: 'lifecycle/expired-replaced-by-refresh',
    level: 'must',
    statement: 'An expired token is replaced through a refresh, and the new token works.',
    section: 'States and transitions',
    needs: ['control'],
  },
] as const satisfies readonly ServiceRuleText[];
