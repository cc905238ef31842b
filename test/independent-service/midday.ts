/** Ten in the morning of UTC: six hours from the end of a day in any zone that a style has. */
const SHIFT_MS: number = Date.UTC(2026, 6, 8, 10) - Date.now();

/** The wall clock, moved so that no test runs across midnight; milliseconds since the epoch. */
export const middayNow = (): number => Date.now() + SHIFT_MS;
