import { ALLOWANCE_PER_DAY } from '../../../../interface/limits.ts';
import { inconclusive, pass, violated } from '../../../verdict.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import { durationOf, LONGEST_DAY_MS, MARGIN_MS } from './day.ts';
import {
  askWitness,
  CROSSED,
  clearOfMidnight,
  crossedMidnight,
  METERED_SEQUENCE_MS,
  type Used,
  useUp,
} from './use.ts';

const COUNT = ALLOWANCE_PER_DAY.refresh;

const DAY_OF_REFRESHES = { platform: 1, refresh: COUNT } as const;

/**
 * The refreshes of a day used up, and the next day again, never beyond: any partner will do. The
 * other allowances are too dear to be used up twice.
 */
export const meteredDailyReset: Check = {
  id: 'quota/daily-reset',
  rules: ['quota/daily-reset'],
  baseRequest: 'standalone',
  only: 'metered',
  clock: true,
  spansDays: true,
  needs: { otherPartner: true },
  // What a ban came to is told by it too.
  priority: 1,
  spends: () => DAY_OF_REFRESHES,
  spendsLater: DAY_OF_REFRESHES,
  run: async (ctx) => {
    const first = await useDay(ctx);
    if (first.used.accepted < COUNT) {
      return inconclusive(
        `the allowance could not be used up to begin with (${describeAnswer(first.used.last)})`,
      );
    }
    if (first.crossed) return inconclusive(CROSSED);
    await ctx.reach(first.endMs + LONGEST_DAY_MS + MARGIN_MS);
    const { used, startMs } = await useDay(ctx);
    if (used.accepted === COUNT) {
      const later = durationOf(startMs - first.endMs);
      return pass(`the ${COUNT} refreshes of a day, used up, were granted again ${later} later`);
    }
    if (used.last.outcome === 'broken') return inconclusive(`no answer: ${used.last.failure}`);
    const witness = await ctx.otherPartner();
    const control = witness && (await askWitness(witness, 'baseline: another partner'));
    if (control?.outcome !== 'accepted')
      return inconclusive('refused, and so was another partner, if there is one');
    return violated(
      'an allowance that was used up, and not exceeded, is whole the next day',
      `refresh ${used.accepted + 1} of the next day was refused with status ${used.last.status}`,
      used.last.exchange,
    );
  },
};

interface DayUsed {
  readonly startMs: number;
  readonly endMs: number;
  readonly crossed: boolean;
  readonly used: Used;
}

/** A chain of refreshes from a new token. */
async function useDay(ctx: CheckContext): Promise<DayUsed> {
  await clearOfMidnight(ctx, METERED_SEQUENCE_MS);
  const startMs = ctx.now();
  const used = await useUp(ctx, 'refresh');
  const endMs = ctx.now();
  return { startMs, endMs, crossed: crossedMidnight(startMs, endMs), used };
}
