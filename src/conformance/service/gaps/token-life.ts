import { accepted, Inconclusive } from '../contract/judge.ts';
import { show, type TokenAnswer } from '../contract/messages.ts';
import { fieldOf } from '../rules/token/response.ts';
import { byOutcome, type GapProbe, type GapProbes, ON_FRESH_PARTNER } from './probe.ts';

const FIRST_FAILED = 'a preparatory request failed';

/** A scope that the interface names, but not the default. */
const FURTHER = 'rides.read';
const WIDE = `public ${FURTHER}`;

/** Scope that an answer names, as a set of names. */
function hasFurther(answer: TokenAnswer): boolean {
  const scope = fieldOf(answer, 'scope');
  return typeof scope === 'string' && scope.split(/\s+/).includes(FURTHER);
}

/** A refresh that names a wider scope than that of its token, and one that names none. */
const refreshScope: GapProbe = {
  baseRequest: 'standalone',
  spends: { platform: 2, refresh: 2 },
  look: async (ctx) => {
    const { refreshToken } = await ctx.refreshable('gap: a token of the default scope');
    const wide = await ctx.token({
      purpose: `gap: a refresh with the wider scope "${WIDE}"`,
      fields: ctx.refresh(refreshToken, { scope: WIDE }),
    });
    const isGranted = wide.outcome === 'accepted' && hasFurther(wide);
    const holder = isGranted
      ? wide
      : await ctx.token({
          purpose: `gap: a token of the scope "${WIDE}"`,
          fields: ctx.platform({ scope: WIDE }),
        });
    if (!hasFurther(accepted(holder, `no token of the scope "${WIDE}" could be had`)))
      throw new Inconclusive(`a token for the scope "${WIDE}" has not that scope`);
    const unnamed = accepted(
      await ctx.token({
        purpose: 'gap: a refresh of it that names no scope',
        fields: ctx.refresh(holder.refreshToken ?? ''),
      }),
      FIRST_FAILED,
    );
    const kept = hasFurther(unnamed) ? 'kept' : 'public';
    const wider = isGranted ? 'granted' : wide.outcome === 'refused' ? 'refused' : 'kept';
    const words = `a wider scope is ${wider}; without one the scope is ${show(fieldOf(unnamed, 'scope'))}`;
    const exchanges = [wide.exchange, unnamed.exchange];
    return { value: { unnamed: kept, wider }, words, exchanges };
  },
};

/** An auth code that is exchanged twice, and the token of its first exchange after that. */
const authCodeReuse: GapProbe = {
  baseRequest: 'standalone',
  spends: { user: 2, codes: 1 },
  look: async (ctx, met) => {
    const code = await ctx.authCode();
    const exchange = (purpose: string): Promise<TokenAnswer> =>
      ctx.token({ purpose: `gap: ${purpose}`, fields: ctx.exchange(code) });
    const first = accepted(await exchange('the first exchange of an auth code'), FIRST_FAILED);
    const second = await exchange('the same auth code again');
    met('auth-code-invalid', second);
    if (second.outcome !== 'refused')
      return byOutcome(second, { value: 'accepted', words: 'accepted a second time' });
    const purpose = "gap: an estimate with the first exchange's token";
    const after = await ctx.sendEstimate(first.accessToken ?? '', purpose, 'user');
    const end = after.outcome === 'refused' ? ', and the token of the first exchange ends' : '';
    const words = `refused a second time with status ${second.status}${end}`;
    return { value: 'refused', words, exchanges: [second.exchange, after.exchange] };
  },
};

/** A platform token that is used after its refresh. */
const tokenAfterRefresh: GapProbe = {
  baseRequest: 'standalone',
  spends: { platform: 1, refresh: 1 },
  look: async (ctx) => {
    const issued = await ctx.refreshable('gap: a platform token');
    const ask = (what: string, token: string | null) =>
      ctx.sendEstimate(token ?? '', `gap: an estimate with ${what}`);
    accepted(await ask('the token before its refresh', issued.accessToken), FIRST_FAILED);
    const refreshed = accepted(
      await ctx.sendRefresh(issued.refreshToken, 'gap: the refresh of that token'),
      FIRST_FAILED,
    );
    const old = await ask('the token after its refresh', issued.accessToken);
    const fresh = accepted(await ask('the refreshed token', refreshed.accessToken), FIRST_FAILED);
    const found = byOutcome(
      old,
      { value: 'valid', words: 'it stays valid' },
      { value: 'ended', words: 'its refresh ends it: refused' },
    );
    return { ...found, exchanges: [old.exchange, fresh.exchange] };
  },
};

/** Tokens of two users of one partner. */
const newestReach: GapProbe = {
  ...ON_FRESH_PARTNER,
  spends: { user: 2 },
  look: async (ctx) => {
    const tokenOf = async (user: string): Promise<string> => {
      const fields = ctx.exchange(await ctx.authCode(user));
      const answer = await ctx.token({ purpose: `gap: a token of ${user}`, fields });
      return accepted(answer, FIRST_FAILED).accessToken ?? '';
    };
    const ask = (whose: string, token: string) =>
      ctx.sendEstimate(token, `gap: an estimate with the token of ${whose}`, 'user');
    const earlier = await tokenOf('user-1');
    accepted(await ask('user-1', earlier), FIRST_FAILED);
    const later = await tokenOf('user-2');
    const still = await ask('user-1, after that of user-2', earlier);
    const newest = accepted(await ask('user-2', later), FIRST_FAILED);
    const found = byOutcome(
      still,
      { value: 'user', words: "of a user: another user's token leaves it valid" },
      { value: 'partner', words: "of a partner: another user's token ends it, which is refused" },
    );
    return { ...found, exchanges: [still.exchange, newest.exchange] };
  },
};

/** Probes of what a token's life depends on. */
export const tokenLifeProbes = {
  'refresh-scope': refreshScope,
  'auth-code-reuse': authCodeReuse,
  'platform-token-after-refresh': tokenAfterRefresh,
  'newest-user-token-reach': newestReach,
} satisfies GapProbes;
