const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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
