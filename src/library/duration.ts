import { ConfigurationError, parseDurationMs } from '../interface/index.ts';

/** A duration: a number of milliseconds, or a text such as `'500ms'`, `'10s'`, `'2m'` or `'1h'`. */
export type Duration = number | string;

/**
 * Reads a duration.
 *
 * @param field name of the option, for the error
 * @returns milliseconds; undefined where none is given
 * @throws ConfigurationError `DURATION_INVALID`
 */
export function millisecondsOf(given: Duration | undefined, field: string): number | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string') return parseDurationMs(given, field, 'ms');
  if (Number.isFinite(given) && given >= 0) return given;
  throw new ConfigurationError(
    'DURATION_INVALID',
    `${given} is not a duration; give milliseconds, or a text such as '10s'.`,
    { field },
  );
}
