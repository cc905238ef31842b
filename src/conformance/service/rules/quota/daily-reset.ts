import { ALLOWANCE_PER_DAY } from '../../../../interface/limits.ts';
import { type Judgement, pass, violated } from '../../../verdict.ts';
import type { CheckContext } from '../../contract/check.ts';
import { answered, Inconclusive } from '../../contract/judge.ts';
import { describeAnswer } from '../../contract/messages.ts';
import { checkOf } from '../../contract/templates.ts';
import {
  CROSSED,
  clearOfMidnight,
  crossedMidnight,
  DAY_MS,
  durationOf,
  LONGEST_DAY_MS,
  MARGIN_MS,
  METERED_SEQUENCE_MS,
  SEQUENCE_MS,
} from './day.ts';
import { isUsedUp, requireUsedUp, requireWitness, type Used, useAll, useUp } from './use.ts';

const notReset = (what: string, { accepted, last }: Used): Judgement =>
  violated(
    'an allowance that was used up, but not exceeded, is full the next day',
    `${what} ${accepted + 1} of the next day was refused with status ${last.status}`,
    last.exchange,
  );

/** Uses up each allowance of one partner, today and again tomorrow. */
export const dailyReset = checkOf({
  rule: 'quota/daily-reset',
  baseRequest: 'standalone',
  only: 'controlled',
  clock: true,
  // One of the ten platform tokens starts the chain of refreshes.
  spends: { platform: 20, user: 10, refresh: 20, codes: 10 },
  run: async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const today = await useAll(ctx);
    requireUsedUp(today);
    await ctx.reach(ctx.now() + DAY_MS + MARGIN_MS);
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const tomorrow = await useAll(ctx, today.refreshToken);
    if (isUsedUp(tomorrow))
      return pass('all three used-up allowances were full again 24 hours later');
    const { kind, accepted } = tomorrow;
    answered(tomorrow.last);
    const fresh = await useUp(await ctx.freshPartner(), kind);
    if (fresh.accepted <= accepted) {
      const why = describeAnswer(fresh.last);
      throw new Inconclusive(`refused the next day, but so was a fresh partner (${why})`);
    }
    return notReset(`${kind} token request`, tomorrow);
  },
});

const COUNT = ALLOWANCE_PER_DAY.refresh;

/**
 * Uses up the refreshes of a day, and again the next day, without exceeding them: any partner is
 * suitable. Using the other allowances up twice would take too much from other checks.
 */
export const meteredDailyReset = checkOf({
  rule: 'quota/daily-reset',
  baseRequest: 'standalone',
  only: 'metered',
  clock: true,
  spansDays: true,
  needs: { otherPartner: true },
  // The verdict on a ban's end depends on it.
  priority: 1,
  spends: { platform: 1, refresh: COUNT },
  spendsLater: { platform: 1, refresh: COUNT },
  run: async (ctx) => {
    const today = await useDay(ctx);
    requireUsedUp(today.used);
    if (crossedMidnight(today.startMs, today.endMs)) throw new Inconclusive(CROSSED);
    await ctx.reach(today.endMs + LONGEST_DAY_MS + MARGIN_MS);
    const tomorrow = await useDay(ctx);
    if (isUsedUp(tomorrow.used)) {
      const later = durationOf(tomorrow.startMs - today.endMs);
      return pass(`the ${COUNT} refreshes of a day, used up, were granted again ${later} later`);
    }
    answered(tomorrow.used.last);
    await requireWitness(ctx, 'another partner');
    return notReset('refresh', tomorrow.used);
  },
});

/** A chain of refreshes from a new token. */
async function useDay(ctx: CheckContext): Promise<{ startMs: number; endMs: number; used: Used }> {
  await clearOfMidnight(ctx, METERED_SEQUENCE_MS);
  const startMs = ctx.now();
  const used = await useUp(ctx, 'refresh');
  return { startMs, endMs: ctx.now(), used };
}
