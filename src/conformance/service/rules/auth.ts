import { untestable } from '../../verdict.ts';
import { changeDigit, changeSecondHalf, likeness } from '../contract/altered-text.ts';
import type { Check, CheckContext } from '../contract/check.ts';
import { answered, refused } from '../contract/judge.ts';
import type { EstimateAttempt } from '../contract/messages.ts';
import { checkOf, estimateRefusals } from '../contract/templates.ts';

const authorizationRequired = estimateRefusals({
  rule: 'auth/authorization-required',
  baseRequest: 'estimate',
  refusedAs: 'authorization-missing',
  priority: 2,
  variants: [['no Authorization', () => ({ authorization: null })]],
});

const scheme = estimateRefusals({
  rule: 'auth/scheme',
  baseRequest: 'estimate',
  refusedAs: 'authorization-shape',
  variants: [
    [
      'Authorization with the scheme Basic',
      () => ({ authorization: (id, token) => `Basic ${id}|${token}` }),
    ],
    [
      'Authorization with the scheme MAC',
      () => ({ authorization: (id, token) => `MAC ${id}|${token}` }),
    ],
    ['Authorization with no scheme', () => ({ authorization: (id, token) => `${id}|${token}` })],
  ],
});

const unknownToken = estimateRefusals({
  rule: 'auth/unknown-token',
  baseRequest: 'estimate',
  refusedAs: 'access-token-invalid',
  priority: 1,
  variants: [
    [
      'an access token of the same form, never issued',
      ({ accessToken, random }) => ({ accessToken: likeness(accessToken, random) }),
    ],
    [
      'an access token of another form, never issued',
      ({ random }) => ({ accessToken: `never-issued-${random.text(16)}` }),
    ],
    [
      'an access token with one character changed',
      (ctx) => {
        const accessToken = changeSecondHalf(ctx.accessToken);
        return accessToken === null ? null : { accessToken };
      },
    ],
  ],
});

/** A query, signed otherwise than by the rules. */
const signedBy =
  (signatureOf: (right: string, ctx: CheckContext) => string) =>
  (ctx: CheckContext): Partial<EstimateAttempt> => {
    const query = ctx.query();
    return { query, signature: signatureOf(ctx.signEstimate(query), ctx) };
  };

const userSignature = estimateRefusals({
  rule: 'auth/user-signature',
  baseRequest: 'user-estimate',
  refusedAs: 'signature-invalid',
  priority: 2,
  variants: [
    [
      'the right signature with its last digit changed',
      signedBy((right) => changeDigit(right, 31)),
    ],
    [
      'the right signature with its first digit changed',
      signedBy((right) => changeDigit(right, 0)),
    ],
    ['a random signature', signedBy((_right, { random }) => random.hex(32))],
    ['a signature of zeros', signedBy(() => '0'.repeat(32))],
    ['a signature made with another key', (ctx) => ({ signingKey: `${ctx.signingKey}x` })],
    ['a signature made with the empty key', () => ({ signingKey: '' })],
  ],
});

/** A token of another scope, from the same partner whose token with `public` is accepted. */
const scopePublic = checkOf({
  rule: 'auth/scope-public',
  baseRequest: 'estimate',
  refusedAs: 'scope-insufficient',
  priority: 2,
  spends: (facts) => ({ platform: facts.metered ? 1 : 2 }),
  run: async (ctx) => {
    const publicToken = ctx.accessToken;
    const scopes = ctx.facts.metered ? ['profile'] : ['profile', 'rides.read rides.request'];
    for (const scope of scopes) {
      const purpose = `a token of scope "${scope}" only`;
      const issued = answered(await ctx.token({ purpose, fields: ctx.platform({ scope }) }));
      const { accessToken } = issued;
      if (issued.outcome === 'refused' || accessToken === null) continue;
      const wrong = `a token of scope "${scope}"`;
      const query = ctx.query();
      const answer = await ctx.estimate({ purpose: `negative: ${wrong}`, query, accessToken });
      const closing = await ctx.sendEstimate(publicToken, 'baseline: the token with scope public');
      return refused(wrong, answer, { opening: ctx.opening, closing });
    }
    const asked = scopes.map((scope) => `"${scope}"`).join(' and ');
    return untestable(`the target issues no token without the scope public (asked for ${asked})`);
  },
});

const tokenOfPartner = checkOf({
  rule: 'auth/token-of-partner',
  baseRequest: 'estimate',
  refusedAs: 'access-token-invalid',
  needs: { otherPartner: true },
  run: async (ctx) => {
    const other = await ctx.otherPartner();
    if (!other) return untestable('the profile has no second partner', 'name a second partner');
    const wrong = "another partner's id with this partner's token";
    const query = ctx.query();
    const answer = await ctx.estimate({
      purpose: `negative: ${wrong}`,
      query,
      partnerId: other.id,
    });
    return (baseline) => refused(wrong, answer, baseline);
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
