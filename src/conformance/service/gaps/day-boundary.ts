import type { GapFinding } from '../../../documents/sealed.ts';
import type { Caller, CheckContext } from '../contract/check.ts';
import { Inconclusive } from '../contract/judge.ts';
import type { TokenAnswer } from '../contract/messages.ts';
import { DAY_MS, MARGIN_MS } from '../rules/days.ts';
import { askPlatform, type GapProbe, ON_FRESH_PARTNER } from './probe.ts';
import { requireUsedUp, useUp } from './used-up.ts';

const MINUTE_MS = 60_000;
/** Midnights of all time zones lie on quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;
const QUARTERS = DAY_MS / QUARTER_MS;
/** Time before midnight UTC at which an allowance is used up: within the last quarter. */
const BEFORE_MS = 10 * MINUTE_MS;

/**
 * Uses an allowance up ten minutes before midnight UTC and sends a request after it. If that is
 * refused, it tries again with other partners a minute before 24 hours are over, when every
 * midnight has passed; if that is accepted, it halves the day until it finds the quarter of an
 * hour.
 */
export const dayBoundary: GapProbe = {
  ...ON_FRESH_PARTNER,
  look: async (ctx) => {
    const atMidnight = await askAfter(ctx, ctx, 0);
    if (atMidnight.outcome !== 'accepted') return lookFurther(ctx);
    const exchanges = [atMidnight.exchange];
    return { value: 'calendar-utc', words: 'it ends at midnight UTC', exchanges };
  },
};

async function lookFurther(ctx: CheckContext): Promise<GapFinding> {
  await beforeMidnight(ctx);
  const [early, late] = [await ctx.freshPartner(), await ctx.freshPartner()];
  const startMs = ctx.now();
  for (const partner of [early, late]) requireUsedUp(await useUp(partner, 'platform'));
  const usedMs = ctx.now();
  await ctx.reach(startMs + DAY_MS - MINUTE_MS);
  const before = await askPlatform(early, 'a minute before 24 hours are over');
  if (before.outcome === 'accepted') return findZone(ctx);
  await ctx.reach(usedMs + DAY_MS + MARGIN_MS);
  const after = await askPlatform(late, '10 s after 24 hours are over');
  if (after.outcome !== 'accepted') throw new Inconclusive('no day was over after 24 hours');
  const exchanges = [before.exchange, after.exchange];
  return { value: 'rolling', words: '24 hours after each request', exchanges };
}

/** The first quarter of an hour after midnight UTC at which an allowance is full again. */
async function findZone(ctx: CheckContext): Promise<GapFinding> {
  let [low, high] = [1, QUARTERS - 1];
  const exchanges: string[] = [];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const answer = await askAfter(ctx, await ctx.freshPartner(), middle);
    exchanges.push(answer.exchange);
    if (answer.outcome === 'accepted') high = middle;
    else low = middle + 1;
  }
  const utc = clockTime(low * 15);
  const east = low <= QUARTERS / 2 ? -low : QUARTERS - low;
  const zone = `UTC${east < 0 ? '-' : '+'}${clockTime(Math.abs(east) * 15)}`;
  return { words: `it ends at ${utc} UTC, midnight of ${zone}`, exchanges };
}

function clockTime(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/**
 * Uses an allowance up just before midnight UTC, and sends a request some quarters of an hour
 * later.
 */
async function askAfter(
  ctx: CheckContext,
  partner: Caller,
  quarters: number,
): Promise<TokenAnswer> {
  const midnightMs = await beforeMidnight(ctx);
  requireUsedUp(await useUp(partner, 'platform'));
  await ctx.reach(midnightMs + quarters * QUARTER_MS + MARGIN_MS);
  return askPlatform(partner, `${clockTime(quarters * 15)} after midnight UTC`);
}

/** Waits for ten minutes before a midnight UTC; resolves with that midnight. */
async function beforeMidnight(ctx: CheckContext): Promise<number> {
  const midnightMs = Math.ceil((ctx.now() + BEFORE_MS) / DAY_MS) * DAY_MS;
  await ctx.reach(midnightMs - BEFORE_MS);
  return midnightMs;
}
