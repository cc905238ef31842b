import type { Check } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import type { Fields } from '../../contract/request.ts';
import { refusals } from '../../contract/templates.ts';
import { likeness } from '../altered-text.ts';

const refreshTokenRequired = refusals({
  rule: 'token/refresh-token-required',
  baseRequest: 'refresh',
  refusedAs: 'field-missing',
  count: 1,
  variants: (ctx) => [
    { wrong: 'a refresh without refresh_token', fields: ctx.base({ refresh_token: undefined }) },
  ],
});

const refreshTokenUnknown = refusals({
  rule: 'token/refresh-token-unknown',
  baseRequest: 'refresh',
  refusedAs: 'refresh-token-invalid',
  count: 2,
  metered: 1,
  variants: (ctx) => {
    const real = String(ctx.base()['refresh_token']);
    const withToken = (token: string): Fields => ctx.base({ refresh_token: token });
    return [
      {
        wrong: 'a refresh_token that was never issued',
        fields: withToken(likeness(real, ctx.random)),
      },
      {
        wrong: 'a refresh_token of other form, never issued',
        fields: withToken(`never-issued-${ctx.random.text(12)}`),
      },
    ];
  },
});

/** Without an auth code of its own a platform request has to stand in as the base request. */
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
    count: 1,
    each: { user: 1 },
    variants: (ctx) => [{ wrong, fields: fieldsOf(ctx) }],
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
