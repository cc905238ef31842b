import { likeness } from '../../contract/altered-text.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import type { Fields } from '../../contract/messages.ts';
import { refusals } from '../../contract/templates.ts';

const refreshTokenRequired = refusals({
  rule: 'token/refresh-token-required',
  baseRequest: 'refresh',
  refusedAs: 'field-missing',
  variants: [
    [
      'a refresh without refresh_token',
      (ctx) => ({ fields: ctx.base({ refresh_token: undefined }) }),
    ],
  ],
});

const refreshTokenUnknown = refusals({
  rule: 'token/refresh-token-unknown',
  baseRequest: 'refresh',
  refusedAs: 'refresh-token-invalid',
  metered: 1,
  variants: [
    [
      'a refresh_token that was never issued',
      (ctx) => {
        const unknown = likeness(String(ctx.base()['refresh_token']), ctx.random);
        return { fields: ctx.base({ refresh_token: unknown }) };
      },
    ],
    [
      'a refresh_token of other form, never issued',
      (ctx) => ({ fields: ctx.base({ refresh_token: `never-issued-${ctx.random.text(12)}` }) }),
    ],
  ],
});

/** An exchange that must be refused; without an auth code, a platform request is its base request. */
const authCodeRefused = (
  rule: string,
  refusedAs: Check['refusedAs'],
  wrong: string,
  fieldsOf: (ctx: CheckContext) => Fields,
): Check =>
  refusals({
    rule,
    baseRequest: 'user',
    alsoOn: ['platform'],
    refusedAs,
    each: { user: 1 },
    variants: [[wrong, (ctx) => ({ fields: fieldsOf(ctx) })]],
  });

/** Checks of `refresh_token` and `auth_code` in a request (interface.md, "Token request body"). */
export const credentialChecks: readonly Check[] = [
  refreshTokenRequired,
  refreshTokenUnknown,
  authCodeRefused(
    'token/auth-code-required',
    'field-missing',
    'an exchange without auth_code',
    (ctx) => ctx.exchange('', { auth_code: undefined }),
  ),
  authCodeRefused(
    'token/auth-code-unknown',
    'auth-code-invalid',
    'an auth_code that was never issued',
    (ctx) => ctx.exchange(`never-issued-${ctx.random.text(12)}`),
  ),
];
