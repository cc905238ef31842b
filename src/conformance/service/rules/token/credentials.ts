import type { Check } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import type { Fields } from '../../contract/request.ts';
import { refusals } from '../../contract/templates.ts';

const refreshTokenRequired = refusals({
  rule: 'token/refresh-token-required',
  baseRequest: 'refresh',
  count: 1,
  variants: (ctx) => [
    { wrong: 'a refresh without refresh_token', fields: ctx.base({ refresh_token: undefined }) },
  ],
});

const refreshTokenUnknown = refusals({
  rule: 'token/refresh-token-unknown',
  baseRequest: 'refresh',
  count: 2,
  metered: 1,
  variants: (ctx) => {
    const real = String(ctx.base()['refresh_token']);
    const unknown = [
      ['a refresh_token that was never issued', likeness(real, ctx)],
      ['a refresh_token of other form, never issued', `never-issued-${ctx.random.text(12)}`],
    ] as const;
    return unknown.map(([wrong, token]) => ({ wrong, fields: ctx.base({ refresh_token: token }) }));
  },
});

/** A text of the same length and character classes, so that its form alone does not give it away. */
function likeness(text: string, ctx: CheckContext): string {
  const hex = /^[0-9a-f-]+$/.test(text);
  return text.replace(/[0-9a-z]/gi, () => (hex ? ctx.random.hex(1) : ctx.random.text(1)));
}

/** Without an auth code of its own a platform request has to stand in as the control. */
const authCodeNegative = (
  rule: string,
  wrong: string,
  spoil: (ctx: CheckContext) => Fields,
): Check =>
  refusals({
    rule,
    baseRequest: 'user',
    alsoOn: ['platform'],
    count: 1,
    each: { user: 1 },
    variants: (ctx) => [{ wrong, fields: spoil(ctx) }],
  });

const authCodeRequired = authCodeNegative(
  'token/auth-code-required',
  'an exchange without auth_code',
  (ctx) => ctx.exchange('', { auth_code: undefined }),
);

const authCodeUnknown = authCodeNegative(
  'token/auth-code-unknown',
  'an auth_code that was never issued',
  (ctx) => ctx.exchange(`never-issued-${ctx.random.text(12)}`),
);

/** Checks of `refresh_token` and `auth_code` in a request (interface.md, "Token request body"). */
export const credentialChecks: readonly Check[] = [
  refreshTokenRequired,
  refreshTokenUnknown,
  authCodeRequired,
  authCodeUnknown,
];
