const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** A day of a calendar may have 25 hours, where clocks are set back; in ms. */
export const LONGEST_DAY_MS: number = 25 * 60 * MINUTE_MS;

/** How long after a ban's end, or a day's, it is probed, in ms. */
export const MARGIN_MS: number = 10 * SECOND_MS;

/**
 * Whether two times may lie on one day of the calendar: with 25 hours it holds times that are 24
 * hours apart, in the zones that set their clocks back on it.
 *
 * @param fromMs since the epoch
 * @param toMs since the epoch
 */
export function mayBeOneDay(fromMs: number, toMs: number): boolean {
  return Intl.supportedValuesOf('timeZone').some((timeZone) => {
    const day = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short' });
    return day.format(fromMs) === day.format(toMs);
  });
}

/** A time in ms for a reader: `25 s`, `12 min` or `3 h`. */
export function durationOf(ms: number): string {
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`;
  if (ms < 120 * MINUTE_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  return `${Math.round(ms / MINUTE_MS / 60)} h`;
}
