import { inconclusive, pass } from '../../../verdict.ts';
import type { EstimateAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import type { Observation } from '../../contract/observation.ts';
import { judgeRefusals } from '../../contract/templates.ts';
import { estimateWith, mustWork, platformToken } from '../requests.ts';
import { accessTokenLife } from './expiry.ts';
import { refreshChecks, refreshObservations } from './refresh.ts';

const platformTokensCoexist: Check = {
  id: 'lifecycle/platform-tokens-coexist',
  rules: ['lifecycle/platform-tokens-coexist'],
  baseRequest: 'standalone',
  priority: 2,
  spends: () => ({ platform: 2 }),
  run: async (ctx) => {
    const earlier = await platformToken(ctx, 'the earlier platform token');
    if (earlier.accessToken === null)
      return inconclusive(`no token could be had (${describeAnswer(earlier)})`);
    const before = await estimateWith(
      ctx,
      ctx,
      earlier.accessToken,
      'baseline: the earlier token before there is a newer one',
    );
    const newer = await platformToken(ctx, 'the newer platform token');
    if (newer.accessToken === null)
      return inconclusive(`no second token could be had (${describeAnswer(newer)})`);
    const after = await estimateWith(
      ctx,
      ctx,
      earlier.accessToken,
      'the earlier token beside the newer one',
    );
    if (after.outcome === 'accepted')
      return pass('the earlier platform token works beside the newer one');
    const control = await estimateWith(ctx, ctx, newer.accessToken, 'baseline: the newer token');
    return mustWork(after, [before, control], 'the earlier platform token beside a newer one');
  },
};

const userTokenNewestOnly: Check = {
  id: 'lifecycle/user-token-newest-only',
  rules: ['lifecycle/user-token-newest-only'],
  baseRequest: 'standalone',
  priority: 2,
  spends: () => ({ user: 2, codes: 2 }),
  run: async (ctx) => {
    const [one, two] = [await ctx.authCode(), await ctx.authCode()];
    const earlier = await ctx.token({
      purpose: 'the earlier user token',
      fields: ctx.exchange(one),
      wellFormed: true,
    });
    if (earlier.accessToken === null)
      return inconclusive(`no user token could be had (${describeAnswer(earlier)})`);
    const asUser = (accessToken: string, purpose: string): Promise<EstimateAnswer> =>
      ctx.estimate({ purpose, query: ctx.query(), accessToken, as: 'user', wellFormed: true });
    const opening = await asUser(
      earlier.accessToken,
      'baseline: the user token while it is the newest',
    );
    const newer = await ctx.token({
      purpose: "the same user's newer token",
      fields: ctx.exchange(two),
      wellFormed: true,
    });
    if (newer.accessToken === null)
      return inconclusive(`no second user token could be had (${describeAnswer(newer)})`);
    const answer = await asUser(
      earlier.accessToken,
      'negative: the earlier user token beside the newer one',
    );
    const closing = await asUser(newer.accessToken, 'baseline: the newest user token');
    return judgeRefusals([{ wrong: "a user token that is not its user's newest", answer }], {
      opening,
      closing,
    });
  },
};

/** Checks of the area `lifecycle` (interface.md, "States and transitions"). */
export const lifecycleChecks: readonly Check[] = [
  ...refreshChecks,
  platformTokensCoexist,
  userTokenNewestOnly,
  accessTokenLife,
];

/** Rules of the area that are judged over what was seen. */
export const lifecycleObservations: readonly Observation[] = refreshObservations;
