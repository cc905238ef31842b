import { inconclusive, untestable } from '../../verdict.ts';
import type { Check } from '../contract/check.ts';
import type { CheckContext } from '../contract/context.ts';
import { judgeRefusals, refusals } from '../contract/templates.ts';
import { changeDigit, changeSecondHalf } from './spoilt-text.ts';

const authorizationRequired = refusals({
  rule: 'auth/authorization-required',
  baseRequest: 'estimate',
  priority: 2,
  count: 1,
  variants: (ctx) => [
    { kind: 'estimate', wrong: 'no Authorization', query: ctx.query(), authorization: null },
  ],
});

const scheme = refusals({
  rule: 'auth/scheme',
  baseRequest: 'estimate',
  count: 3,
  variants: (ctx) => {
    const headers: readonly [string, (id: string, token: string) => string][] = [
      ['the scheme Basic', (id, token) => `Basic ${id}|${token}`],
      ['the scheme MAC', (id, token) => `MAC ${id}|${token}`],
      ['no scheme', (id, token) => `${id}|${token}`],
    ];
    return headers.map(([what, authorization]) => ({
      kind: 'estimate',
      wrong: `Authorization with ${what}`,
      query: ctx.query(),
      authorization,
    }));
  },
});

const unknownToken = refusals({
  rule: 'auth/unknown-token',
  baseRequest: 'estimate',
  priority: 1,
  count: 3,
  variants: (ctx) => {
    const changed = changeSecondHalf(ctx.accessToken);
    const tokens: readonly [string, string][] = [
      ['an access token of the same form, never issued', likeness(ctx.accessToken, ctx)],
      ['an access token of another form, never issued', `never-issued-${ctx.random.text(16)}`],
      ...(changed === null
        ? []
        : [['an access token with one character changed', changed] as [string, string]]),
    ];
    return tokens.map(([wrong, accessToken]) => ({
      kind: 'estimate',
      wrong,
      query: ctx.query(),
      accessToken,
    }));
  },
});

/** Every digit and letter drawn anew: a form that looks right, and nothing of the token left. */
function likeness(text: string, ctx: CheckContext): string {
  const hex = /^[0-9a-f-]+$/.test(text);
  return text.replace(/[0-9a-z]/gi, () => (hex ? ctx.random.hex(1) : ctx.random.text(1)));
}

const userSignature = refusals({
  rule: 'auth/user-signature',
  baseRequest: 'user-estimate',
  priority: 2,
  count: 6,
  variants: (ctx) => {
    const query = ctx.query();
    const right = ctx.signEstimate(query);
    return [
      {
        kind: 'estimate',
        wrong: 'the right signature with its last digit changed',
        query,
        signature: changeDigit(right, 31),
      },
      {
        kind: 'estimate',
        wrong: 'the right signature with its first digit changed',
        query,
        signature: changeDigit(right, 0),
      },
      { kind: 'estimate', wrong: 'a random signature', query, signature: ctx.random.hex(32) },
      { kind: 'estimate', wrong: 'a signature of zeros', query, signature: '0'.repeat(32) },
      {
        kind: 'estimate',
        wrong: 'a signature made with another key',
        query,
        signingKey: `${ctx.signingKey}x`,
      },
      { kind: 'estimate', wrong: 'a signature made with the empty key', query, signingKey: '' },
    ];
  },
});

/** A token of another scope, from the same partner whose token with `public` is accepted. */
const scopePublic: Check = {
  id: 'auth/scope-public',
  rules: ['auth/scope-public'],
  baseRequest: 'estimate',
  priority: 2,
  spends: (facts) => ({ platform: facts.metered ? 1 : 2 }),
  run: async (ctx) => {
    const held = ctx.accessToken;
    const scopes = ctx.facts.metered ? ['profile'] : ['profile', 'rides.read rides.request'];
    for (const scope of scopes) {
      const issued = await ctx.token({
        purpose: `a token of scope "${scope}" alone`,
        fields: ctx.platform({ scope }),
      });
      if (issued.outcome === 'broken') return inconclusive(`no answer: ${issued.failure}`);
      if (issued.outcome === 'refused' || issued.accessToken === null) continue;
      const wrong = `a token of scope "${scope}"`;
      const answer = await ctx.estimate({
        purpose: `negative: ${wrong}`,
        query: ctx.query(),
        accessToken: issued.accessToken,
      });
      const control = await ctx.estimate({
        purpose: 'baseline: the token with scope public',
        query: ctx.query(),
        accessToken: held,
        wellFormed: true,
      });
      return judgeRefusals([{ wrong, answer }], { opening: ctx.opening, closing: control });
    }
    return untestable(
      `the target issues no token without the scope public (asked for ${scopes.map((scope) => `"${scope}"`).join(' and ')})`,
    );
  },
};

const tokenOfPartner: Check = {
  id: 'auth/token-of-partner',
  rules: ['auth/token-of-partner'],
  baseRequest: 'estimate',
  needs: { otherPartner: true },
  spends: () => ({}),
  run: async (ctx) => {
    const other = await ctx.otherPartner();
    if (!other) return untestable('the profile has no second partner', 'name a second partner');
    const wrong = "another partner's id with this partner's token";
    const answer = await ctx.estimate({
      purpose: `negative: ${wrong}`,
      query: ctx.query(),
      partnerId: other.id,
    });
    return (controls) => judgeRefusals([{ wrong, answer }], controls);
  },
};

/** Checks of the area `auth` (interface.md, "Authentication"). */
export const authChecks: readonly Check[] = [
  authorizationRequired,
  scheme,
  unknownToken,
  userSignature,
  scopePublic,
  tokenOfPartner,
];
