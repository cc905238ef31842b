/** 10:00 UTC: six hours from the end of a day in any time zone of a style. */
const SHIFT_MS: number = Date.UTC(2026, 6, 8, 10) - Date.now();

/** The wall clock, shifted so that no test runs across midnight; milliseconds since the epoch. */
export const middayNow = (): number => Date.now() + SHIFT_MS;
