import { must, rulesOf } from './rule.ts';

/** Rules for a service about the life of a token. */
export const LIFECYCLE_RULES = rulesOf('service', ['partner'], {
  'lifecycle/refresh-rotates': must(
    'A refresh yields a new `access_token` and a new `refresh_token`.',
    'States and transitions',
  ),
  'lifecycle/refresh-single-use': must('The service refuses a used `refresh_token`.', 'Limits'),
  'lifecycle/refresh-single-use-concurrent': must(
    'Of several refreshes sent at once with one `refresh_token`, exactly one succeeds.',
    'States and transitions',
  ),
  'lifecycle/refresh-never-expires': must(
    'An unused `refresh_token` works long after its `access_token` expired.',
    'States and transitions',
    { needs: ['control'] },
  ),
  'lifecycle/platform-tokens-coexist': must(
    'An earlier platform token stays valid beside a newer one.',
    'States and transitions',
  ),
  'lifecycle/user-token-newest-only': must(
    "Of one user's tokens, only the newest is valid.",
    'States and transitions',
    { needs: ['partner', 'code'] },
  ),
  'lifecycle/access-token-valid-until-expiry': must(
    'An `access_token` works until just before `expires_in_second` has elapsed.',
    'States and transitions',
    { needs: ['control'] },
  ),
  'lifecycle/access-token-expires': must(
    'The service refuses an `access_token` once `expires_in_second` has elapsed.',
    'States and transitions',
    { needs: ['control'] },
  ),
  'lifecycle/expired-replaced-by-refresh': must(
    'An expired token is replaced through a refresh, and the new token works.',
    'States and transitions',
    { needs: ['control'] },
  ),
});
