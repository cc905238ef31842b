import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { accepted, accepts, answered, Inconclusive, refused } from '../../contract/judge.ts';
import { describeAnswer, type EstimateAnswer, type TokenAnswer } from '../../contract/messages.ts';
import type { Observation } from '../../contract/observation.ts';
import { withParts } from '../../contract/templates.ts';
import { afterRefusals } from './after-refusals.ts';
import { platformTokensCoexist } from './coexisting.ts';
import { askLasting } from './lineage.ts';
import { userTokenNewestOnly } from './newest.ts';
import { refreshChecks, refreshRotates } from './refresh.ts';
import { tokenLifeParts } from './token-life.ts';

/** Time before and after an instant at which it is probed, in milliseconds. */
const MARGIN_MS = 10_000;

/** Checks of a token's life (interface.md, "States and transitions"). */
const accessTokenLife: Check = {
  id: 'lifecycle/access-token-valid-until-expiry',
  rules: [
    'lifecycle/access-token-valid-until-expiry',
    'lifecycle/access-token-expires',
    'lifecycle/expired-replaced-by-refresh',
  ],
  acceptance: {
    'lifecycle/access-token-valid-until-expiry': 'demanded',
    'lifecycle/expired-replaced-by-refresh': 'demanded',
  },
  baseRequest: 'standalone',
  refusedAs: 'access-token-expired',
  needs: { control: true },
  clock: true,
  spends: () => ({ platform: 2, refresh: 2 }),
  run: async (ctx) => {
    const issued = await ctx.issued('a token to watch until it expires');
    const { accessToken, expiresInSeconds } = issued;
    if (expiresInSeconds === null) {
      throw new Inconclusive(
        `no token with expires_in_second could be had (${describeAnswer(issued)})`,
      );
    }
    const opening = await ctx.sendEstimate(accessToken, 'baseline: the token when it is new');
    const lifeMs = expiresInSeconds * 1000;
    const marginMs = Math.min(MARGIN_MS, lifeMs / 4);
    const margin = `${marginMs / 1000} s`;
    await ctx.reach(issued.sentAtMs + lifeMs - marginMs);
    const right = `the token ${margin} before it expires`;
    const before = await askLasting(ctx, accessToken, right);
    await ctx.reach(issued.answeredAtMs + lifeMs + marginMs);
    const purpose = `negative: the token ${margin} after it expired`;
    const after = await ctx.estimate({
      purpose,
      expects: 'refused',
      query: ctx.query(),
      accessToken,
    });
    const renewed = await ctx.sendPlatform('a new token at that time');
    const closing = await ctx.sendEstimate(
      renewed.accessToken ?? '',
      'baseline: a new token at that time',
    );
    return {
      'lifecycle/access-token-valid-until-expiry':
        before.outcome === 'accepted'
          ? pass(`accepted ${margin} before its ${expiresInSeconds} s were over`)
          : before.answeredAtMs >= issued.sentAtMs + lifeMs
            ? inconclusive("the probe came too late: the target's clock had passed the expiry")
            : accepts(`a token ${margin} before it expires`, before, { opening, closing }),
      'lifecycle/access-token-expires': refused(
        `a token ${margin} after its ${expiresInSeconds} s were over`,
        after,
        { opening, closing },
      ),
      'lifecycle/expired-replaced-by-refresh': () =>
        replaceExpired(ctx, issued.refreshToken, renewed, closing),
    };
  },
};

async function replaceExpired(
  ctx: CheckContext,
  refreshToken: string | null,
  renewed: TokenAnswer,
  baseline: EstimateAnswer,
): Promise<Judgement> {
  if (refreshToken === null) throw new Inconclusive('no refresh_token came with the token');
  const replaced = answered(
    await ctx.sendRefresh(refreshToken, 'the refresh of an expired token'),
    'the refresh',
  );
  if (replaced.accessToken === null) {
    await requireRefreshes(ctx, renewed);
    accepted(
      baseline,
      'the refresh got no token, but a new platform token was not accepted either',
    );
    return violated(
      'an expired token is replaced through a refresh, and the new one works',
      `the refresh got ${describeAnswer(replaced)} and no token`,
      replaced.exchange,
    );
  }
  const works = await ctx.sendEstimate(
    replaced.accessToken,
    'an estimate with the refreshed token',
  );
  if (works.outcome === 'accepted')
    return pass('the expired token was replaced through a refresh, and the new one works');
  const what = 'a token got by the refresh of an expired one';
  return accepts(what, works, { opening: baseline, closing: null });
}

/** A refused refresh says something of expiry only where that of a valid token succeeds. */
async function requireRefreshes(ctx: CheckContext, { refreshToken }: TokenAnswer): Promise<void> {
  if (refreshToken === null)
    throw new Inconclusive('the refresh got no token, and there was no other refresh_token to try');
  accepted(
    await ctx.sendRefresh(refreshToken, 'baseline: the refresh of a token that is still valid'),
    'the refresh of a token that is still valid was not accepted either',
  );
}

/** Checks of the area `lifecycle` (interface.md, "States and transitions"). */
export const lifecycleChecks: readonly Check[] = [
  ...refreshChecks,
  platformTokensCoexist,
  userTokenNewestOnly,
  withParts(accessTokenLife, [...tokenLifeParts, afterRefusals]),
];

/** Rules of the area that are judged over what was seen. */
export const lifecycleObservations: readonly Observation[] = [refreshRotates];
