import { ConfigurationError } from './errors.ts';

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Unit of a duration. */
export type DurationUnit = keyof typeof UNIT_MS;

const DURATION = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*$/;

/** True for a duration such as `500ms`, `10s`, `2m`, `1h`, or a bare number. */
export const isDuration = (text: string): boolean => DURATION.test(text);

/**
 * Parses a duration such as `500ms`, `10s`, `2m`, `1h`.
 *
 * @param field name of the option, for the error
 * @param bareUnit unit of a bare number
 * @returns milliseconds
 * @throws ConfigurationError `DURATION_INVALID`
 */
export function parseDurationMs(text: string, field: string, bareUnit: DurationUnit = 's'): number {
  const [, amount, unit = bareUnit] = DURATION.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * UNIT_MS[unit as DurationUnit];
  throw new ConfigurationError(
    'DURATION_INVALID',
    `"${text}" is not a duration; write it as 500ms, 10s, 2m or 1h.`,
    { field },
  );
}
