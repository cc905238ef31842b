import { type Caller, type Check, standalone } from '../../contract/check.ts';
import type { TokenAnswer } from '../../contract/messages.ts';

/** Token requests of one fresh partner: no kind exceeds its allowance. */
const PLATFORM_TOKENS = 6;
const CHAINS = 2;
const USER_TOKENS = 3;

/** Sends a well-formed token request. */
const ask = (caller: Caller, what: string, fields: Readonly<Record<string, unknown>>) =>
  caller.token({ purpose: `${what}, to see its response`, fields, wellFormed: true });

/** Refreshes a token, and the token that comes of it. */
async function refreshTwice(caller: Caller, what: string, from: TokenAnswer): Promise<void> {
  if (from.refreshToken === null) return;
  const once = await ask(caller, `a refresh of ${what}`, caller.refresh(from.refreshToken));
  if (once.refreshToken === null) return;
  await ask(caller, `a second refresh of ${what}`, caller.refresh(once.refreshToken));
}

/** Requests tokens of each kind, within the allowances of a fresh partner. */
async function issueMany(caller: Caller): Promise<void> {
  for (let number = 0; number < CHAINS; number++)
    await refreshTwice(caller, 'it', await ask(caller, 'a platform token', caller.platform()));
  for (let number = CHAINS; number < PLATFORM_TOKENS; number++) {
    const changes = number % 2 === 0 ? {} : { scope: 'public' };
    await ask(caller, 'a platform token', caller.platform(changes));
  }
  // Not well-formed: whom a target grants which scope is left open.
  const purpose = 'a platform token without the scope public, to see its response';
  await caller.token({ purpose, fields: caller.platform({ scope: 'rides.read' }) });
  for (let number = 0; number < USER_TOKENS; number++) {
    const fields = caller.exchange(await caller.authCode());
    await refreshTwice(caller, "a user's token", await ask(caller, "a user's token", fields));
  }
}

/** Obtains token answers of each kind, for the observations. */
export const tokenSurvey: Check = {
  id: 'survey:tokens',
  rules: [],
  places: [standalone()],
  run: async (ctx) => {
    await issueMany(ctx);
    return {};
  },
};

/** Refreshes once the access_tokens have expired. */
const ofExpired: Check = {
  id: 'survey:expired-tokens',
  rules: [],
  places: [standalone()],
  effect: 'waits',
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

/** Checks without rules, where requests are free: they obtain further token answers. */
export const TOKEN_SURVEYS: readonly Check[] = [ofExpired];
