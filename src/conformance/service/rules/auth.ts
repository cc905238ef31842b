import { untestable } from '../../verdict.ts';
import type { Check } from '../contract/check.ts';
import { refused } from '../contract/judge.ts';
import { checkOf, estimateRefusals } from '../contract/templates.ts';
import { answered } from '../contract/undecided.ts';
import { changeDigit, changeSecondHalf, likeness } from './altered-text.ts';

const authorizationRequired = estimateRefusals({
  rule: 'auth/authorization-required',
  baseRequest: 'estimate',
  refusedAs: 'authorization-missing',
  priority: 2,
  count: 1,
  variants: () => [{ wrong: 'no Authorization', authorization: null }],
});

const scheme = estimateRefusals({
  rule: 'auth/scheme',
  baseRequest: 'estimate',
  refusedAs: 'authorization-shape',
  count: 3,
  variants: () => [
    {
      wrong: 'Authorization with the scheme Basic',
      authorization: (id, token) => `Basic ${id}|${token}`,
    },
    {
      wrong: 'Authorization with the scheme MAC',
      authorization: (id, token) => `MAC ${id}|${token}`,
    },
    { wrong: 'Authorization with no scheme', authorization: (id, token) => `${id}|${token}` },
  ],
});

const unknownToken = estimateRefusals({
  rule: 'auth/unknown-token',
  baseRequest: 'estimate',
  refusedAs: 'access-token-invalid',
  priority: 1,
  count: 3,
  variants: ({ accessToken, random }) => {
    const changed = changeSecondHalf(accessToken);
    return [
      {
        wrong: 'an access token of the same form, never issued',
        accessToken: likeness(accessToken, random),
      },
      {
        wrong: 'an access token of another form, never issued',
        accessToken: `never-issued-${random.text(16)}`,
      },
      ...(changed === null
        ? []
        : [{ wrong: 'an access token with one character changed', accessToken: changed }]),
    ];
  },
});

const userSignature = estimateRefusals({
  rule: 'auth/user-signature',
  baseRequest: 'user-estimate',
  refusedAs: 'signature-invalid',
  priority: 2,
  count: 6,
  variants: (ctx) => {
    const query = ctx.query();
    const right = ctx.signEstimate(query);
    return [
      {
        wrong: 'the right signature with its last digit changed',
        query,
        signature: changeDigit(right, 31),
      },
      {
        wrong: 'the right signature with its first digit changed',
        query,
        signature: changeDigit(right, 0),
      },
      { wrong: 'a random signature', query, signature: ctx.random.hex(32) },
      { wrong: 'a signature of zeros', query, signature: '0'.repeat(32) },
      { wrong: 'a signature made with another key', query, signingKey: `${ctx.signingKey}x` },
      { wrong: 'a signature made with the empty key', query, signingKey: '' },
    ];
  },
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
