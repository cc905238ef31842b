import type { CheckContext } from '../contract/check.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS: number = 60 * SECOND_MS;
export const HOUR_MS: number = 60 * MINUTE_MS;
export const DAY_MS: number = 24 * HOUR_MS;

/** Maximum length of a day, when clocks are set back; ms. */
export const LONGEST_DAY_MS: number = 25 * HOUR_MS;

/** Time after the end of a ban or a day at which it is probed, in ms. */
export const MARGIN_MS: number = 10 * SECOND_MS;

/** Time between the last allowed request and the one beyond, ms: then only the ban refuses at its end. */
export const PAUSE_MS: number = 5 * MINUTE_MS;

/** Time that a sequence of requests may take, ms: none is started so shortly before a midnight. */
export const SEQUENCE_MS: number = 60 * SECOND_MS;

/** The same if the clock cannot be moved, and the wait for the midnight is real. */
export const METERED_SEQUENCE_MS: number = 20 * SECOND_MS;

/** Midnights of all time zones lie on quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;

/** Time by which the clocks of both sides may disagree at a midnight, and a little more, ms. */
const SKEW_MS = 3 * SECOND_MS;

/** Offsets from UTC, in hours, of the zones whose midnights are tried. */
export const MIDNIGHT_ZONES = [0, 8] as const;

/**
 * Time of the next midnight, in ms since the epoch.
 *
 * @param zone offset from UTC, in hours
 */
export function nextMidnight(nowMs: number, zone: number): number {
  return (Math.floor((nowMs + zone * HOUR_MS) / DAY_MS) + 1) * DAY_MS - zone * HOUR_MS;
}

/** Reason why a sequence that should lie within one day proves nothing. */
export const CROSSED =
  "the target's clock passed a quarter of an hour meanwhile, on which a day may end";

/** Waits until the target's clock is so far from a midnight that a sequence of requests lies within one day. */
export async function clearOfMidnight(ctx: CheckContext, neededMs: number): Promise<void> {
  // From here on, requests are new if an earlier part of the run had not reached them.
  if (!ctx.facts.hasControl) await ctx.reach(ctx.now());
  const last = Math.floor(ctx.now() / QUARTER_MS) * QUARTER_MS;
  if (ctx.now() < last + SKEW_MS) await ctx.reach(last + SKEW_MS);
  const next = last + QUARTER_MS;
  if (next - ctx.now() < neededMs) await ctx.reach(next + SKEW_MS);
}

/** True if a quarter of an hour, and so perhaps a midnight, lies between two times. */
export function crossedMidnight(fromMs: number, toMs: number): boolean {
  return Math.floor(fromMs / QUARTER_MS) !== Math.floor(toMs / QUARTER_MS);
}
