const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Units of a time of minutes and more, the largest first. */
const UNITS = [
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
  ['s', SECOND_MS],
] as const;

/**
 * Time for a reader, such as `9.9 s`, `30 min`, `23 h 59 min 50 s` or `3 days`: what is less than a limit of the
 * interface reads as less.
 */
export function elapsed(ms: number): string {
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / 100) / 10} s`;
  if (ms >= 2 * DAY_MS) return `${Math.round(ms / DAY_MS)} days`;
  let left = Math.round(ms / SECOND_MS) * SECOND_MS;
  const parts = UNITS.flatMap(([unit, unitMs]) => {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return parts.join(' ');
}
