import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { EstimateAnswer, TokenAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check, Finding, Findings } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import { judgeRefusals } from '../../contract/templates.ts';
import { estimateWith, mustWork, noToken, platformToken, refreshWith } from '../requests.ts';

/** How long before and after an instant it is probed, in milliseconds. */
const MARGIN_MS = 10_000;

/** Checks of a token's life (interface.md, "States and transitions"). */
export const accessTokenLife: Check = {
  id: 'lifecycle/access-token-valid-until-expiry',
  rules: [
    'lifecycle/access-token-valid-until-expiry',
    'lifecycle/access-token-expires',
    'lifecycle/expired-replaced-by-refresh',
  ],
  baseRequest: 'standalone',
  needs: { control: true },
  clock: true,
  spends: () => ({ platform: 2, refresh: 2 }),
  run: async (ctx) => {
    const issued = await platformToken(ctx, 'a token to watch until it expires');
    const { accessToken, refreshToken, expiresInSeconds } = issued;
    if (accessToken === null || expiresInSeconds === null) {
      return allOf(
        accessTokenLife,
        inconclusive(`no token with expires_in_second could be had (${describeAnswer(issued)})`),
      );
    }
    const fresh = await estimateWith(ctx, ctx, accessToken, 'baseline: the token when it is new');
    const marginMs = Math.min(MARGIN_MS, (expiresInSeconds * 1000) / 4);
    const lifeMs = expiresInSeconds * 1000;
    await ctx.reach(issued.sentAtMs + lifeMs - marginMs);
    const before = await estimateWith(
      ctx,
      ctx,
      accessToken,
      `the token ${marginMs / 1000} s before it expires`,
    );
    await ctx.reach(issued.answeredAtMs + lifeMs + marginMs);
    const after = await ctx.estimate({
      purpose: `negative: the token ${marginMs / 1000} s after it expired`,
      query: ctx.query(),
      accessToken,
    });
    const renewed = await platformToken(ctx, 'a new token at that time');
    const control = await estimateWith(
      ctx,
      ctx,
      renewed.accessToken ?? '',
      'baseline: a new token at that time',
    );
    const late = before.answeredAtMs >= issued.sentAtMs + lifeMs;
    return {
      'lifecycle/access-token-valid-until-expiry':
        before.outcome === 'accepted'
          ? pass(`accepted ${marginMs / 1000} s before its ${expiresInSeconds} s were over`)
          : late
            ? inconclusive("the probe came too late: the target's clock had passed the expiry")
            : mustWork(before, [fresh, control], `a token ${marginMs / 1000} s before it expires`),
      'lifecycle/access-token-expires': judgeRefusals(
        [
          {
            wrong: `a token ${marginMs / 1000} s after its ${expiresInSeconds} s were over`,
            answer: after,
          },
        ],
        { opening: fresh, closing: control },
      ),
      'lifecycle/expired-replaced-by-refresh': await replaceExpired(
        ctx,
        refreshToken,
        renewed,
        control,
      ),
    };
  },
};

async function replaceExpired(
  ctx: CheckContext,
  refreshToken: string | null,
  renewed: TokenAnswer,
  control: EstimateAnswer,
): Promise<Finding> {
  if (refreshToken === null) return inconclusive('no refresh_token came with the token');
  const refreshed = await refreshWith(ctx, refreshToken, 'the refresh of an expired token');
  if (refreshed.outcome === 'broken')
    return inconclusive(`no answer to the refresh: ${refreshed.failure}`);
  const expected = 'an expired token is replaced through a refresh, and the new one works';
  if (refreshed.accessToken === null) {
    const doubt = await doubtRefresh(ctx, renewed);
    if (doubt) return doubt;
    return control.outcome === 'accepted'
      ? violated(
          expected,
          `the refresh got ${describeAnswer(refreshed)} and no token`,
          refreshed.exchange,
        )
      : inconclusive(
          `the refresh got no token, but a new platform token was not accepted either (${describeAnswer(control)})`,
        );
  }
  const works = await estimateWith(
    ctx,
    ctx,
    refreshed.accessToken,
    'an estimate with the refreshed token',
  );
  if (works.outcome === 'accepted')
    return pass('the expired token was replaced through a refresh, and the new one works');
  return mustWork(works, [control], 'a token got by the refresh of an expired one');
}

/** A refresh that is refused says something of expiry only where that of a valid token succeeds. */
async function doubtRefresh(ctx: CheckContext, renewed: TokenAnswer): Promise<Judgement | null> {
  if (renewed.refreshToken === null) return noToken(renewed);
  const purpose = 'baseline: the refresh of a token that is still valid';
  const refreshed = await refreshWith(ctx, renewed.refreshToken, purpose);
  if (refreshed.outcome === 'accepted') return null;
  return inconclusive(
    `the refresh of a token that is still valid was not accepted either (${describeAnswer(refreshed)})`,
  );
}

function allOf(check: Check, finding: Finding): Findings {
  return Object.fromEntries(check.rules.map((rule) => [rule, finding]));
}
