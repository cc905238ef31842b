import { ConfigurationError } from '../../interface/index.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  '': 1000,
};

/**
 * Parses a duration such as `500ms`, `10s`, `2m`, `1h`; a bare number is seconds.
 *
 * @param source the flag or field it was given in, named in the error
 * @returns milliseconds
 * @throws ConfigurationError `DURATION_INVALID`
 */
export function parseDurationMs(text: string, source: string): number {
  const [, amount, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * (UNIT_MS[unit] ?? 1000);
  throw new ConfigurationError(
    'DURATION_INVALID',
    `${source}: "${text}" is not a duration; write it as 500ms, 10s, 2m or 1h.`,
  );
}
