const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Time for a reader, such as `9.9 s`, `30 min`, `24 h` or `3 days`. */
export function elapsed(ms: number): string {
  if (ms < 120 * SECOND_MS) return `${Math.round(ms / 100) / 10} s`;
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / 60_000)} min`;
  return ms < 2 * DAY_MS ? `${Math.round(ms / HOUR_MS)} h` : `${Math.round(ms / DAY_MS)} days`;
}
