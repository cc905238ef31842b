import { ConfigurationError } from '../../interface/errors.ts';

/** Inclusive bounds of a whole number. */
export interface IntegerBounds {
  readonly min: number;
  readonly max?: number;
}

/**
 * Reads a whole number in decimal digits; undefined for a flag that is not given.
 *
 * @param source the flag or field that messages name, such as `--port`
 * @throws ConfigurationError `FLAG_VALUE`
 */
export function readInteger(text: string, source: string, bounds: IntegerBounds): number;
export function readInteger(
  text: string | undefined,
  source: string,
  bounds: IntegerBounds,
): number | undefined;
export function readInteger(
  text: string | undefined,
  source: string,
  { min, max }: IntegerBounds,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER)) return value;
  const range = max === undefined ? `${min} up` : `${min} to ${max}`;
  throw refused(text, source, `a whole number from ${range}`);
}

/**
 * Reads a decimal number of 0 or more; undefined for a flag that is not given.
 *
 * @throws ConfigurationError `FLAG_VALUE`
 */
export function readNumber(text: string | undefined, source: string): number | undefined {
  if (text === undefined) return undefined;
  if (DECIMAL.test(text)) return Number(text);
  throw refused(text, source, 'a number');
}

/**
 * Reads a decimal number above 0; undefined for a flag that is not given.
 *
 * @throws ConfigurationError `FLAG_VALUE`
 */
export function readPositive(text: string | undefined, source: string): number | undefined {
  if (text === undefined) return undefined;
  if (DECIMAL.test(text) && Number(text) > 0) return Number(text);
  throw refused(text, source, 'a number above 0');
}

/**
 * Reads a percentage above 0, such as `5` or `5%`; undefined for a flag that is not given.
 *
 * @throws ConfigurationError `FLAG_VALUE`
 */
export function readPercent(text: string | undefined, source: string): number | undefined {
  if (text === undefined) return undefined;
  const digits = text.replace(/%$/, '');
  if (DECIMAL.test(digits) && Number(digits) > 0) return Number(digits);
  throw refused(text, source, 'a percentage above 0');
}

/**
 * Reads a share of 1, such as `0.5` or `50%`; undefined for a flag that is not given.
 *
 * @throws ConfigurationError `FLAG_VALUE`
 */
export function readShare(text: string | undefined, source: string): number | undefined {
  if (text === undefined) return undefined;
  const digits = text.replace(/%$/, '');
  if (!DECIMAL.test(digits)) throw refused(text, source, 'a share, such as 0.5 or 50%');
  return digits === text ? Number(text) : Number(digits) / 100;
}

const DECIMAL = /^\d+(\.\d+)?$/;

function refused(text: string, source: string, wanted: string): ConfigurationError {
  return new ConfigurationError('FLAG_VALUE', `${source}: "${text}" is not ${wanted}.`);
}
