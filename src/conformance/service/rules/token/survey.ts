import type { Caller, Check } from '../../contract/check.ts';
import type { TokenAnswer } from '../../contract/messages.ts';

/** Token requests of one fresh partner: no kind exceeds its allowance. */
const PLATFORM_TOKENS = 7;
const CHAINS = 2;
const USER_TOKENS = 3;

/** Sends a well-formed token request. */
const ask = (caller: Caller, what: string, fields: Readonly<Record<string, unknown>>) =>
  caller.token({ purpose: `${what}, to see its answer`, fields, wellFormed: true });

/** Refreshes a token, and the token that comes of it. */
async function refreshTwice(caller: Caller, what: string, from: TokenAnswer): Promise<void> {
  if (from.refreshToken === null) return;
  const once = await ask(caller, `a refresh of ${what}`, caller.refresh(from.refreshToken));
  if (once.refreshToken === null) return;
  await ask(caller, `a second refresh of ${what}`, caller.refresh(once.refreshToken));
}

const ofTokens: Check = {
  id: 'survey:tokens',
  rules: [],
  baseRequest: 'standalone',
  spends: () => ({}),
  run: async (ctx) => {
    for (let number = 0; number < CHAINS; number++)
      await refreshTwice(ctx, 'it', await ask(ctx, 'a platform token', ctx.platform()));
    for (let number = CHAINS; number < PLATFORM_TOKENS; number++) {
      const changes = number % 2 === 0 ? {} : { scope: 'public' };
      await ask(ctx, 'a platform token', ctx.platform(changes));
    }
    for (let number = 0; number < USER_TOKENS; number++) {
      const fields = ctx.exchange(await ctx.authCode());
      await refreshTwice(ctx, "a user's token", await ask(ctx, "a user's token", fields));
    }
    return {};
  },
};

/** Refreshes once the access_tokens have expired. */
const ofExpired: Check = {
  id: 'survey:expired-tokens',
  rules: [],
  baseRequest: 'standalone',
  spends: () => ({}),
  clock: true,
  run: async (ctx) => {
    const platform = await ask(ctx, 'a platform token', ctx.platform());
    const fields = ctx.exchange(await ctx.authCode());
    const user = await ask(ctx, "a user's token", fields);
    await ctx.reach(Math.max(expiryOf(platform), expiryOf(user)) + SECOND_MS);
    await refreshTwice(ctx, 'an expired token', platform);
    await refreshTwice(ctx, "a user's expired token", user);
    return {};
  },
};

const SECOND_MS = 1000;

const expiryOf = ({ answeredAtMs, expiresInSeconds }: TokenAnswer): number =>
  answeredAtMs + (expiresInSeconds ?? 0) * SECOND_MS;

/**
 * Checks without rules, where requests are free: they obtain token answers of each kind for the
 * observations, enough to see what one answer of five shows.
 */
export const TOKEN_SURVEYS: readonly Check[] = [ofTokens, ofExpired];
