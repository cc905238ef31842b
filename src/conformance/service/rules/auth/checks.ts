import { untestable } from '../../../verdict.ts';
import { likeness, NEAR } from '../../contract/altered-text.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { answered, judgeRefusals, type Negative } from '../../contract/judge.ts';
import type { EstimateAttempt, TokenAnswer } from '../../contract/messages.ts';
import { type Facts, isRoomy, plainestOf, type Shape } from '../../contract/target.ts';
import { checkOnEach, estimateRefusals, type Variant } from '../../contract/templates.ts';
import { WRONG_SHAPES } from '../authorization-shapes.ts';
import { userSignature } from './user-signature.ts';

const authorizationRequired = estimateRefusals({
  rule: 'auth/authorization-required',
  baseRequest: 'estimate',
  refusedAs: 'authorization-missing',
  priority: { rank: 2 },
  variants: [
    ['no Authorization', () => ({ authorization: null })],
    ['an empty Authorization', () => ({ authorization: () => '' })],
    ['no Authorization', () => ({ authorization: null })],
  ],
});

const scheme = estimateRefusals({
  rule: 'auth/scheme',
  baseRequest: 'estimate',
  refusedAs: 'authorization-shape',
  variants: WRONG_SHAPES.map(([what, authorization]) => [
    `Authorization with ${what}`,
    () => ({ authorization }),
  ]),
});

/** An estimate with another access token than the right one. */
const withToken = (
  wrong: string,
  tokenOf: (ctx: CheckContext) => string,
): Variant<EstimateAttempt> => [wrong, (ctx) => ({ accessToken: tokenOf(ctx) })];

/** An estimate with a word in place of its access token; a word is no secret to be hidden. */
const withWord = (wrong: string, wordOf: (id: string) => string): Variant<EstimateAttempt> => [
  wrong,
  () => ({
    authorization: (id, credentials) =>
      `Bearer ${id}|${credentials.replace(/[^|]*$/, () => wordOf(id))}`,
  }),
];

const neverIssued = ({ random }: CheckContext): string => `never-issued-${random.text(16)}`;

const unknownToken = estimateRefusals({
  rule: 'auth/unknown-token',
  baseRequest: 'estimate',
  refusedAs: 'access-token-invalid',
  priority: { rank: 1 },
  variants: [
    withToken('an access token of the same form, never issued', ({ accessToken, random }) =>
      likeness(accessToken, random),
    ),
    ...NEAR.map(([what, alter]) =>
      withToken(`the access token with ${what}`, ({ accessToken, random }) =>
        alter(accessToken, random),
      ),
    ),
    withToken('an access token of another form, never issued', neverIssued),
    withWord('the text undefined as access token', () => 'undefined'),
    withWord("the partner's id as access token", (id) => id),
    withWord('no access token after the |', () => ''),
    withWord('a % as access token', () => '%'),
    [
      'an unused auth_code as access token',
      async (ctx) => ({
        accessToken: ctx.facts.metered ? neverIssued(ctx) : await ctx.authCode(),
      }),
    ],
    withToken('the refresh_token as access token', (ctx) => ctx.refreshToken || neverIssued(ctx)),
  ],
});

/** Sends a request that must be refused in the plainest shape and in others: left out, all of the profile. */
async function inEachShape(
  ctx: CheckContext,
  wrong: string,
  variation: Partial<EstimateAttempt>,
  others: readonly Shape[] = ctx.facts.shapes.filter((one) => one !== plainestOf(ctx.facts.shapes)),
): Promise<Negative[]> {
  const negatives: Negative[] = [];
  for (const shape of [undefined, ...others]) {
    const described = shape === undefined ? wrong : `${wrong}, in the shape ${shape}`;
    const purpose = `negative: ${described}`;
    // Of two alike one is sent on a kept connection, on which others were accepted.
    for (let time = 0; time < (shape === undefined && !ctx.facts.metered ? 2 : 1); time++) {
      const answer = await ctx.estimate({
        ...variation,
        purpose,
        expects: 'refused',
        query: ctx.query({}, shape),
      });
      negatives.push({ wrong: described, answer });
    }
  }
  return negatives;
}

const SCOPES_WITHOUT_PUBLIC = [
  'profile',
  'rides.read rides.request',
  'rides.request',
  'rides.read',
  'nonpublic',
];

/** To a metered target: all of them in one token if there is room, and one that more targets grant. */
const scopesMetered = (facts: Facts): string[] => [
  ...(isRoomy(facts) ? ['rides.read rides.request profile'] : []),
  'profile',
];

/** A token of another scope, from the same partner whose token with `public` is accepted. */
const scopePublic = checkOnEach({
  rule: 'auth/scope-public',
  baseRequest: 'estimate',
  isMeant: ({ setting }) => Object.keys(setting).length === 0,
  refusedAs: 'scope-insufficient',
  priority: { rank: 2 },
  spends: (facts, base) => {
    if (base === 'user-estimate') return { user: 3, codes: 3 };
    return facts.metered
      ? { platform: scopesMetered(facts).length }
      : { platform: SCOPES_WITHOUT_PUBLIC.length, refresh: 1 };
  },
  run: async (ctx, { baseRequest }) => {
    const isUser = baseRequest === 'user-estimate';
    const publicToken = ctx.accessToken;
    const scopes = ctx.facts.metered
      ? scopesMetered(ctx.facts)
      : SCOPES_WITHOUT_PUBLIC.slice(0, isUser ? 2 : undefined);
    const negatives: Negative[] = [];
    for (const scope of scopes) {
      const purpose = `a token of scope "${scope}" only`;
      const fields = isUser
        ? ctx.exchange(await ctx.authCode(), { scope })
        : ctx.platform({ scope });
      const issued = answered(await ctx.token({ purpose, fields }));
      const { refreshToken } = issued;
      const accessToken = tokenWithoutPublic(issued);
      if (accessToken === null) continue;
      const others = negatives.length === 0 ? undefined : [];
      const ofScope = `a token of scope "${scope}"`;
      negatives.push(...(await inEachShape(ctx, ofScope, { accessToken }, others)));
      if (ctx.facts.metered) break;
      if (isUser || refreshToken === null || scope !== scopes[0]) continue;
      const renewed = await ctx.token({
        purpose: `${purpose}, refreshed`,
        fields: ctx.refresh(refreshToken, { scope }),
      });
      const again = tokenWithoutPublic(renewed);
      if (again === null) continue;
      const wrong = `a refreshed token of scope "${scope}"`;
      negatives.push(...(await inEachShape(ctx, wrong, { accessToken: again })));
    }
    if (negatives.length === 0) {
      const asked = scopes.map((scope) => `"${scope}"`).join(' and ');
      return untestable(`the target issues no token without the scope public (asked for ${asked})`);
    }
    const token = isUser ? await newestUserToken(ctx) : publicToken;
    const purpose = 'baseline: the token with scope public';
    const closing = await ctx.sendEstimate(token, purpose, isUser ? 'user' : 'platform');
    return judgeRefusals(negatives, { opening: ctx.opening, closing });
  },
});

/** Access token of an answer; null if there is none, or if it has the scope `public` after all. */
function tokenWithoutPublic({ outcome, accessToken, json }: TokenAnswer): string | null {
  const { scope = '' } = (json ?? {}) as { readonly scope?: unknown };
  const isPublic = String(scope)
    .split(/[\s,]+/)
    .includes('public');
  return outcome === 'accepted' && !isPublic ? accessToken : null;
}

/** A user's token of the default scope: an earlier one ends with each that is issued. */
async function newestUserToken(ctx: CheckContext): Promise<string> {
  const purpose = 'a user token with scope public';
  const fields = ctx.exchange(await ctx.authCode());
  return (await ctx.token({ purpose, fields, wellFormed: true })).accessToken ?? '';
}

const tokenOfPartner = checkOnEach({
  rule: 'auth/token-of-partner',
  baseRequest: 'estimate',
  isMeant: ({ setting }) => setting.shape === undefined,
  refusedAs: 'access-token-invalid',
  needs: { otherPartner: true },
  run: async (ctx) => {
    const other = await ctx.otherPartner();
    if (!other)
      return untestable('the profile has no second partner', 'add a second partner to the profile');
    // A user's estimate is signed as that partner would sign it: only the token is wrong.
    const asOther = { partnerId: other.id, signingKey: other.signingKey };
    const wrong = "another partner's id with this partner's token";
    const negatives = await inEachShape(ctx, wrong, asOther);
    return (baseline) => judgeRefusals(negatives, baseline);
  },
});

/** Checks of the area `auth` (interface.md, "Authentication"). */
export const authChecks: readonly Check[] = [
  authorizationRequired,
  scheme,
  unknownToken,
  userSignature,
  scopePublic,
  tokenOfPartner,
];
