import { LIMITS } from '../../../interface/limits.ts';
import type { TokenAnswer } from '../contract/answer.ts';
import type { Caller, CheckContext } from '../contract/context.ts';
import { useUp } from '../rules/quota/use.ts';
import type { GapProbe, Looks, Sighting, Unseen } from './probe.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MARGIN_MS = 10_000;
/** Midnights of all time zones lie on quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;
const QUARTERS = DAY_MS / QUARTER_MS;
/** How long before midnight UTC an allowance is used up: within the last quarter. */
const BEFORE_MS = 10 * MINUTE_MS;

/**
 * Uses an allowance up ten minutes before midnight UTC and asks after it. Where that is refused, on
 * another day, with other partners: a minute before 24 hours are over, when every midnight lies
 * between; and where that is accepted, halving the day until the quarter is found.
 */
export const dayBoundary: GapProbe = {
  gaps: ['day-boundary'],
  baseRequest: 'standalone',
  needs: { control: true },
  look: async (ctx) => {
    const atMidnight = await askAfter(ctx, ctx, 0);
    if (atMidnight === null) return daySeen({ unseen: 'the allowance could not be used up' });
    const exchanges = [atMidnight.exchange];
    if (atMidnight.outcome === 'accepted') {
      return daySeen({ value: 'calendar-utc', words: 'it ends at midnight UTC', exchanges });
    }
    return daySeen(await lookFurther(ctx));
  },
};

const daySeen = (seen: Sighting | Unseen): Looks => ({ seen: { 'day-boundary': seen } });

async function lookFurther(ctx: CheckContext): Promise<Sighting | Unseen> {
  await beforeMidnight(ctx);
  const [early, late] = [await ctx.freshPartner(), await ctx.freshPartner()];
  const startMs = ctx.now();
  for (const partner of [early, late]) {
    if (!(await usesUp(partner))) return { unseen: 'the allowance could not be used up' };
  }
  const usedMs = ctx.now();
  await ctx.reach(startMs + DAY_MS - MINUTE_MS);
  const before = await ask(early, 'a minute before 24 hours are over');
  if (before.outcome === 'accepted') return findZone(ctx);
  await ctx.reach(usedMs + DAY_MS + MARGIN_MS);
  const after = await ask(late, '10 s after 24 hours are over');
  if (after.outcome !== 'accepted') return { unseen: 'no day was over after 24 hours' };
  const exchanges = [before.exchange, after.exchange];
  return { value: 'rolling', words: '24 hours after each request', exchanges };
}

/** The first quarter of an hour after midnight UTC at which an allowance is whole again. */
async function findZone(ctx: CheckContext): Promise<Sighting | Unseen> {
  let [low, high] = [1, QUARTERS - 1];
  const exchanges: string[] = [];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const answer = await askAfter(ctx, await ctx.freshPartner(), middle);
    if (answer === null) return { unseen: 'the allowance could not be used up' };
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

/** Uses up just before midnight UTC, and asks so many quarters after it; null where it fell short. */
async function askAfter(
  ctx: CheckContext,
  partner: Caller,
  quarters: number,
): Promise<TokenAnswer | null> {
  const midnightMs = await beforeMidnight(ctx);
  if (!(await usesUp(partner))) return null;
  await ctx.reach(midnightMs + quarters * QUARTER_MS + MARGIN_MS);
  return ask(partner, `${clockTime(quarters * 15)} after midnight UTC`);
}

/** Waits for ten minutes before a midnight UTC; resolves with that midnight. */
async function beforeMidnight(ctx: CheckContext): Promise<number> {
  const midnightMs = Math.ceil((ctx.now() + BEFORE_MS) / DAY_MS) * DAY_MS;
  await ctx.reach(midnightMs - BEFORE_MS);
  return midnightMs;
}

async function usesUp(partner: Caller): Promise<boolean> {
  return (await useUp(partner, 'platform')).accepted === LIMITS.platformTokensPerDay;
}

const ask = (caller: Caller, when: string): Promise<TokenAnswer> =>
  caller.token({ purpose: `gap: a request ${when}`, fields: caller.platform() });
