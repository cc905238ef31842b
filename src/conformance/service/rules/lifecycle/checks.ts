import { pass } from '../../../verdict.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { accepts, Inconclusive, refused } from '../../contract/judge.ts';
import { describeAnswer, type TokenAnswer } from '../../contract/messages.ts';
import type { Observation } from '../../contract/observation.ts';
import { checkOf } from '../../contract/templates.ts';
import { accessTokenLife } from './expiry.ts';
import { refreshChecks, refreshRotates } from './refresh.ts';

const platformTokensCoexist = checkOf({
  rule: 'lifecycle/platform-tokens-coexist',
  baseRequest: 'standalone',
  priority: 2,
  spends: { platform: 2 },
  run: async (ctx) => {
    const earlier = await ctx.issued('the earlier platform token');
    const opening = await ctx.sendEstimate(
      earlier.accessToken,
      'baseline: the earlier token before there is a newer one',
    );
    const newer = await ctx.issued('the newer platform token');
    const answer = await ctx.sendEstimate(
      earlier.accessToken,
      'the earlier token beside the newer one',
    );
    if (answer.outcome === 'accepted')
      return pass('the earlier platform token works beside the newer one');
    const closing = await ctx.sendEstimate(newer.accessToken, 'baseline: the newer token');
    return accepts('the earlier platform token beside a newer one', answer, { opening, closing });
  },
});

const userTokenNewestOnly = checkOf({
  rule: 'lifecycle/user-token-newest-only',
  baseRequest: 'standalone',
  refusedAs: 'access-token-invalid',
  priority: 2,
  spends: { user: 2, codes: 2 },
  run: async (ctx) => {
    const [one, two] = [await ctx.authCode(), await ctx.authCode()];
    const earlier = await userToken(ctx, one, 'the earlier user token');
    const opening = await ctx.sendEstimate(
      earlier,
      'baseline: the user token while it is the newest',
      'user',
    );
    const newer = await userToken(ctx, two, "the same user's newer token");
    const answer = await ctx.sendEstimate(
      earlier,
      'negative: the earlier user token beside the newer one',
      'user',
    );
    const closing = await ctx.sendEstimate(newer, 'baseline: the newest user token', 'user');
    return refused("a user token that is not its user's newest", answer, { opening, closing });
  },
});

async function userToken(ctx: CheckContext, code: string, purpose: string): Promise<string> {
  const fields = ctx.exchange(code);
  const answer: TokenAnswer = await ctx.token({ purpose, fields, wellFormed: true });
  if (answer.accessToken !== null) return answer.accessToken;
  throw new Inconclusive(`no user token could be had (${describeAnswer(answer)})`);
}

/** Checks of the area `lifecycle` (interface.md, "States and transitions"). */
export const lifecycleChecks: readonly Check[] = [
  ...refreshChecks,
  platformTokensCoexist,
  userTokenNewestOnly,
  accessTokenLife,
];

/** Rules of the area that are judged over what was seen. */
export const lifecycleObservations: readonly Observation[] = [refreshRotates];
