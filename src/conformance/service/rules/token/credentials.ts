import { likeness, mayBeIssued, NEAR } from '../../contract/altered-text.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import type { Fields, TokenAttempt } from '../../contract/messages.ts';
import { refusals, type Traits, type Variant } from '../../contract/templates.ts';
import { obtain } from '../lifecycle/lineage.ts';
import { requiredField } from './fields.ts';

/** A refresh with another refresh_token; none if there is no right one. */
const refreshWith = (
  wrong: string,
  tokenOf: (ctx: CheckContext, right: string) => unknown,
  traits?: Traits,
): Variant<TokenAttempt> => [
  wrong,
  async (ctx) => {
    const { refreshToken: right } = ctx;
    if (right === '') return null;
    return { fields: ctx.base({ refresh_token: await tokenOf(ctx, right) }) };
  },
  traits,
];

const refreshOfNear = ([what, alter]: (typeof NEAR)[number]): Variant<TokenAttempt> =>
  refreshWith(`an unused refresh_token with ${what}`, ({ random }, right) => alter(right, random));

/** An exchange with another auth_code. */
const exchangeWith = (
  wrong: string,
  codeOf: (ctx: CheckContext) => unknown,
  traits?: Traits,
): Variant<TokenAttempt> => [
  wrong,
  async (ctx) => ({ fields: ctx.exchange('', { auth_code: await codeOf(ctx) }) }),
  traits,
];

/** Spending of an exchange without an auth code, or of one that the target did not issue. */
const NO_CODE = { user: 1, codes: 0 } as const;

/** An exchange of a code made of an unused one; none where the base request is no exchange. */
const exchangeOfNear = ([what, alter]: (typeof NEAR)[number]): Variant<TokenAttempt> => [
  `an unused auth_code with ${what}`,
  (ctx) => {
    const right = ctx.base()['auth_code'];
    if (typeof right !== 'string') return null;
    const near = alter(right, ctx.random);
    if (mayBeIssued(near, right, ctx.facts.authCodes)) return null;
    return { fields: ctx.exchange(near) };
  },
];

/** Values that some stores and comparisons take for any text. */
const NO_TEXTS: readonly (readonly [what: string, value: unknown, signed: unknown])[] = [
  ['an operator of a query', { $gt: '' }, { $gt: '' }],
  ['the boolean true', true, 'true'],
];

/** The same with other values signed in place of some that are sent. */
const signedAs = (
  [wrong, vary, traits]: Variant<TokenAttempt>,
  changes: Fields,
): Variant<TokenAttempt> => [
  wrong,
  async (ctx) => {
    const one = await vary(ctx);
    return one && { ...one, signed: { ...one.fields, ...changes } };
  },
  traits,
];

const neverIssued = ({ random }: CheckContext): string => `never-issued-${random.text(12)}`;

/** A token of the answer to the opening request; a text that was never issued if it has none. */
function openingToken(ctx: CheckContext, kind: 'accessToken' | 'refreshToken'): string {
  const { opening } = ctx;
  const token = opening && 'accessToken' in opening ? opening[kind] : null;
  return token ?? neverIssued(ctx);
}

/** Checks of `refresh_token` and `auth_code` in a request (interface.md, "Token request body"). */
export const credentialChecks: readonly Check[] = [
  requiredField({
    rule: 'token/refresh-token-required',
    field: 'refresh_token',
    baseRequest: 'refresh',
    wrong: 'never-issued',
  }),
  refusals({
    rule: 'token/refresh-token-unknown',
    baseRequest: 'refresh',
    refusedAs: 'refresh-token-invalid',
    variants: [
      ...NEAR.slice(0, 1).map(refreshOfNear),
      refreshWith('a refresh_token that was never issued', ({ random }, right) =>
        likeness(right, random),
      ),
      refreshWith('the access_token as refresh_token', (ctx) => openingToken(ctx, 'accessToken')),
      refreshWith(
        "another partner's refresh_token",
        async (ctx) => {
          const other = await ctx.otherPartner();
          if (!other) return neverIssued(ctx);
          return (await other.refreshable("another partner's refresh_token")).refreshToken;
        },
        { needsMore: true },
      ),
      ...NEAR.slice(1).map(refreshOfNear),
      refreshWith('a refresh_token of other form, never issued', neverIssued),
      refreshWith('an auth_code as refresh_token', (ctx) => ctx.authCode(), { needsMore: true }),
      // Some databases take any text for 0, and some comparisons take % for any text.
      refreshWith('the number 0 as refresh_token', () => 0),
      refreshWith('a % as refresh_token', () => '%'),
      ...NO_TEXTS.map(([what, value, signed]) =>
        signedAs(
          refreshWith(`${what} as refresh_token`, () => value),
          { refresh_token: signed },
        ),
      ),
      refreshWith(
        "another partner's refresh_token of a user",
        async (ctx) => {
          const other = ctx.facts.hasControl ? await ctx.otherPartner() : null;
          if (!other) return neverIssued(ctx);
          const what = "another partner's user token";
          return (await obtain(other, { ofUser: true }, what)).refreshToken;
        },
        { needsMore: true },
      ),
    ],
  }),
  requiredField({
    rule: 'token/auth-code-required',
    field: 'auth_code',
    baseRequest: 'user',
    alsoOn: ['platform'],
    each: NO_CODE,
    wrong: 'never-issued',
  }),
  refusals({
    rule: 'token/auth-code-unknown',
    baseRequest: 'user',
    alsoOn: ['platform'],
    refusedAs: 'auth-code-invalid',
    each: NO_CODE,
    variants: [
      ...NEAR.slice(0, 1).map(exchangeOfNear),
      exchangeWith('an auth_code that was never issued', neverIssued),
      ...NEAR.slice(1).map(exchangeOfNear),
      exchangeWith(
        "another partner's auth_code",
        async (ctx) => {
          const other = await ctx.otherPartner();
          return other ? other.authCode() : neverIssued(ctx);
        },
        { needsMore: true },
      ),
      exchangeWith('the access_token as auth_code', (ctx) => openingToken(ctx, 'accessToken')),
      exchangeWith('the refresh_token as auth_code', (ctx) => openingToken(ctx, 'refreshToken')),
      exchangeWith('the number 0 as auth_code', () => 0),
      exchangeWith('a % as auth_code', () => '%'),
      ...NO_TEXTS.map(([what, value, signed]) =>
        signedAs(
          exchangeWith(`${what} as auth_code`, () => value),
          { auth_code: signed },
        ),
      ),
    ],
  }),
];
