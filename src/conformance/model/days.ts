import { type Asked, SKEW_MS } from './asked.ts';

const MINUTE_MS = 60_000;
/** An hour, ms. */
export const HOUR_MS = 60 * MINUTE_MS;
/** A day, ms. */
export const DAY_MS = 24 * HOUR_MS;

/** One way to count days, which the interface leaves open. */
export interface Day {
  readonly isSure: (earlier: Asked, later: Asked, counted: readonly Asked[]) => boolean;
  readonly isPossible: (earlier: Asked, later: Asked) => boolean;
  /** Text that is the same for days on which some times lie alike; in seconds. */
  readonly placesOf: (seconds: readonly number[]) => string;
}

const within24h = (earlier: Asked, later: Asked): boolean =>
  later.sentMs - earlier.answeredMs <= DAY_MS;

/** A calendar day; clocks may be set forward or back by an hour within the time of a log. */
function calendarDay(midnightMs: number): Day {
  const number = (ms: number): number => Math.floor((ms - midnightMs) / DAY_MS);
  const isSame = (aMs: number, bMs: number, shiftMs: number): boolean =>
    number(aMs - shiftMs) === number(bMs - shiftMs);
  const shifts = [0, HOUR_MS];
  return {
    isSure: (earlier, later) =>
      shifts.every((ms) => isSame(earlier.sentMs - SKEW_MS, later.answeredMs + SKEW_MS, ms)),
    isPossible: (earlier, later) =>
      shifts.some((ms) => isSame(earlier.answeredMs + SKEW_MS, later.sentMs - SKEW_MS, ms)) ||
      earlier.answeredMs + 2 * SKEW_MS > later.sentMs,
    placesOf: (seconds) => {
      const numbers = seconds.flatMap((one) =>
        shifts.flatMap((ms) => [-SKEW_MS, SKEW_MS].map((skew) => number(one * 1000 - ms + skew))),
      );
      return numbers.map((one) => one - numbers[0]!).join();
    },
  };
}

/** Ways to count days. */
export const DAYS: readonly Day[] = [
  ...Array.from({ length: 96 }, (_, quarter) => calendarDay(quarter * 15 * MINUTE_MS)),
  {
    // The last 24 hours.
    isSure: (earlier, later) => later.answeredMs - earlier.sentMs < DAY_MS,
    isPossible: within24h,
    placesOf: () => 'rolling',
  },
  {
    // 24 hours from the first request.
    isSure: (earlier, later, counted) => {
      let start = Number.NEGATIVE_INFINITY;
      for (const one of counted) {
        if (one.sentMs > earlier.sentMs) break;
        if (one.sentMs - start >= DAY_MS) start = one.sentMs;
      }
      return later.answeredMs - start < DAY_MS;
    },
    isPossible: within24h,
    placesOf: () => 'from the first',
  },
];

/** Checks whether two requests lie on one day however days are counted. */
export function isSurelyOneDay(earlier: Asked, later: Asked): boolean {
  return DAYS.every((day) => day.isSure(earlier, later, [earlier]));
}

/** Ways to count days by which a midnight may lie between two requests that are taken for those of one day. */
const FEW_DAYS = 4;

/**
 * Checks whether two requests lie on one day by nearly all ways to count days. A slow run meets with one of the 96
 * midnights, and the zone of the service is hardly that.
 */
export function isLikelyOneDay(earlier: Asked, later: Asked): boolean {
  return DAYS.filter((day) => !day.isSure(earlier, later, [earlier])).length <= FEW_DAYS;
}
