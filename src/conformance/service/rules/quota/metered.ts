import { LIMITS } from '../../../../interface/limits.ts';
import { inconclusive, type Judgement, pass, untestable, violated } from '../../../verdict.ts';
import type { TokenAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import { platformToken, refreshWith } from '../requests.ts';
import { meteredDailyReset } from './daily-reset.ts';
import { durationOf, LONGEST_DAY_MS, MARGIN_MS, mayBeOneDay } from './day.ts';
import { askWitness, METERED_SEQUENCE_MS, startOfChain, type Used, useUpAndExceed } from './use.ts';
import { judgeAllows, judgeRefuses, judgeWitness } from './verdicts.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BAN_MS = LIMITS.banSeconds * SECOND_MS;

/** How long before a ban's end a run may come to look whether it still holds; one that waits comes at the last moment. */
const WINDOW_MS = 30 * MINUTE_MS;

/** A run that stays for a day may well take these, so that the ban alone is left to refuse. */
const PAUSE_MS = 5 * MINUTE_MS;

/** So long after a day, at most, it is known whether it renewed an allowance. */
const RESET_SEEN_MS = 10 * MINUTE_MS;

/** Nearer to the end the clocks of both sides may disagree. */
const LAST_MOMENT_MS = 2 * SECOND_MS;

/** A partner goes past its platform allowance; its ban is looked at once more before it ends. */
const platformBan: Check = {
  id: 'quota/platform-allows-10',
  rules: [
    'quota/platform-allows-10',
    'quota/platform-refuses-11th',
    'quota/per-partner',
    'quota/ban-lasts-24h',
  ],
  baseRequest: 'standalone',
  only: 'metered',
  clock: true,
  needs: { ban: true },
  spends: () => ({ platform: LIMITS.platformTokensPerDay + 1 }),
  spendsLater: { platform: 1 },
  run: async (ctx) => {
    const asksEnd = ctx.facts.asked('quota/ban-lasts-24h');
    const witness = await ctx.otherPartner();
    const known =
      witness && (await askWitness(witness, 'baseline: another partner before the ban'));
    const exceeded = await useUpAndExceed(ctx, 'platform', {
      neededMs: METERED_SEQUENCE_MS,
      pauseMs: asksEnd && ctx.facts.waits ? PAUSE_MS : 0,
    });
    const { used, beyond, crossed } = exceeded;
    const after = witness && (await askWitness(witness, 'another partner after the ban'));
    return {
      'quota/platform-allows-10': judgeAllows(used, crossed),
      'quota/platform-refuses-11th': judgeRefuses(used, beyond, crossed),
      'quota/per-partner': judgeWitness(beyond, known, after),
      'quota/ban-lasts-24h': judgeLasts(ctx, used, beyond, asksEnd),
    };
  },
};

const NO_BAN = 'no ban to watch: the request too many was not refused';

async function judgeLasts(
  ctx: CheckContext,
  used: Used,
  beyond: TokenAnswer | null,
  asked: boolean,
): Promise<Judgement> {
  if (beyond?.outcome !== 'refused') return inconclusive(NO_BAN);
  if (!asked) return untestable('not asked for');
  const endsMs = beyond.sentAtMs + BAN_MS;
  await ctx.reach(endsMs - (ctx.facts.waits ? MARGIN_MS : WINDOW_MS));
  if (ctx.now() > endsMs - LAST_MOMENT_MS) {
    return untestable(
      `its 24 hours were over at ${isoOf(endsMs)}, before it was looked at again`,
      'a new run that is resumed in time, or that stays by --wait',
    );
  }
  const purpose = "negative: a request before the ban's 24 hours are over";
  const probe = await ctx.token({ purpose, fields: ctx.platform() });
  if (probe.outcome === 'broken') return inconclusive(`no answer: ${probe.failure}`);
  const left = durationOf(endsMs - probe.sentAtMs);
  if (probe.outcome === 'accepted') {
    if (probe.answeredAtMs >= endsMs)
      return inconclusive("the probe came too late: the ban's end had passed");
    return violated(
      'a refusal until 24 hours have passed',
      `accepted ${left} before that`,
      probe.exchange,
    );
  }
  const witness = await ctx.otherPartner();
  const control = witness && (await askWitness(witness, 'baseline: a partner that is not banned'));
  if (control?.outcome !== 'accepted') {
    return inconclusive(
      `refused, but ${control ? `so was a partner that is not banned (${describeAnswer(control)})` : 'there is no second partner to compare with'}`,
    );
  }
  // Where the last 24 hours are counted, the allowance is whole only once its first use is that old.
  const alone = used.first.answeredAtMs + DAY_MS < probe.sentAtMs;
  const doubt = alone
    ? ''
    : ' (a service that counts the last 24 hours refuses that anyway; --wait looks when it does not)';
  return pass(
    `still refused ${left} before its 24 hours were over, a partner that is not banned accepted${doubt}`,
  );
}

/** A partner goes past its allowance of refreshes; when the ban is over, one is tried again. */
const refreshBan: Check = {
  id: 'quota/refresh-allows-10',
  rules: ['quota/refresh-allows-10', 'quota/refresh-refuses-11th', 'quota/ban-lifts'],
  dependsOn: { 'quota/ban-lifts': 'quota/daily-reset' },
  baseRequest: 'standalone',
  only: 'metered',
  clock: true,
  needs: { ban: true },
  spends: () => ({ platform: 2, refresh: LIMITS.refreshesPerDay + 1 }),
  spendsLater: { platform: 1, refresh: 2 },
  run: async (ctx) => {
    const asksEnd = ctx.facts.asked('quota/ban-lifts');
    const spare = asksEnd
      ? await platformToken(ctx, 'a token whose refresh_token is kept until the ban is over')
      : null;
    const chain = await startOfChain(ctx, 'refresh');
    const options = { chain, neededMs: METERED_SEQUENCE_MS };
    const { used, beyond, crossed } = await useUpAndExceed(ctx, 'refresh', options);
    return {
      'quota/refresh-allows-10': judgeAllows(used, crossed),
      'quota/refresh-refuses-11th': judgeRefuses(used, beyond, crossed),
      'quota/ban-lifts': judgeLifts(ctx, used, beyond, spare),
    };
  },
};

/** Nothing was sent since the ban began: where a refused request extends it, none did. */
async function judgeLifts(
  ctx: CheckContext,
  used: Used,
  beyond: TokenAnswer | null,
  spare: TokenAnswer | null,
): Promise<Judgement> {
  if (beyond?.outcome !== 'refused') return inconclusive(NO_BAN);
  if (!spare) return untestable('not asked for');
  if (spare.refreshToken === null) return inconclusive('no refresh_token was left to try it with');
  await ctx.reach(beyond.answeredAtMs + BAN_MS + MARGIN_MS);
  const purpose = "positive: a refresh after the ban's 24 hours are over";
  const probe = await refreshWith(ctx, spare.refreshToken, purpose);
  const since = durationOf(probe.sentAtMs - beyond.answeredAtMs - BAN_MS);
  if (probe.outcome === 'accepted') return pass(`accepted ${since} after its 24 hours were over`);
  if (probe.outcome === 'broken') return inconclusive(`no answer: ${probe.failure}`);
  if (mayBeOneDay(used.first.sentAtMs, probe.sentAtMs)) {
    return inconclusive('refused, but in some time zone it is still the day of the ban');
  }
  const witness = await ctx.otherPartner();
  const control = witness && (await askWitness(witness, 'baseline: a partner that was not banned'));
  if (control?.outcome !== 'accepted') {
    return inconclusive(
      `refused, but ${control ? `so was a partner that was not banned (${describeAnswer(control)})` : 'there is no second partner to compare with'}`,
    );
  }
  // A refresh_token that died meanwhile would be refused too; one that is new tells these apart.
  const renewed = await platformToken(ctx, 'a new token of the partner that was banned');
  const again =
    renewed.refreshToken === null
      ? null
      : await refreshWith(ctx, renewed.refreshToken, 'the refresh of that new token');
  if (again?.outcome === 'accepted') {
    return pass(`a refresh was accepted ${since} after its 24 hours were over`);
  }
  if (renewed.outcome === 'broken' || again?.outcome === 'broken')
    return inconclusive('refused, and no answer to the request that was to tell why');
  // An allowance that no day renews would refuse it as well.
  await ctx.reach(beyond.answeredAtMs + LONGEST_DAY_MS + RESET_SEEN_MS);
  return violated(
    'status 200 once 24 hours have passed',
    `status ${probe.status} ${since} after that`,
    probe.exchange,
  );
}

function isoOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}

/** Checks of the area `quota` for a target whose clock cannot be moved. */
export const meteredQuotaChecks: readonly Check[] = [meteredDailyReset, platformBan, refreshBan];
