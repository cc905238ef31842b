import { parseDurationMs } from '../../interface/duration.ts';
import { ConfigurationError } from '../../interface/errors.ts';

/** Inclusive bounds of a whole number. */
export interface IntegerBounds {
  readonly min: number;
  readonly max?: number;
  /** Word that the flag takes in place of a number, such as `all`. */
  readonly or?: string;
}

/** Undefined for a flag that may be left out, and is. */
type Read<Text extends string | undefined> = Text extends string ? number : number | undefined;

/**
 * Reads a whole number in decimal digits; undefined for a flag that is not given.
 *
 * @param field name of the option, such as `port`
 * @throws ConfigurationError `FLAG_VALUE`
 */
export function readInteger<Text extends string | undefined>(
  text: Text,
  field: string,
  { min, max = Number.MAX_SAFE_INTEGER, or }: IntegerBounds,
): Read<Text> {
  if (text === undefined) return undefined as Read<Text>;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const wanted =
    min === 1 && max === Number.MAX_SAFE_INTEGER
      ? 'a positive integer'
      : `an integer from ${rangeOf(min, max)}`;
  throw refused(text, field, or === undefined ? wanted : `${wanted} or "${or}"`);
}

/** Reads a port, 0 for any free one, as {@link readInteger}. */
export function readPort<Text extends string | undefined>(text: Text, field: string): Read<Text> {
  return readInteger(text, field, { min: 0, max: 65_535 });
}

/**
 * Reads a duration such as `500ms` or `10s`; undefined for a flag that is not given.
 *
 * @param unit unit of a bare number, of the bounds and of the result, which is a whole number of it
 * @throws ConfigurationError `FLAG_VALUE` or `DURATION_INVALID`
 */
export function readDuration<Text extends string | undefined>(
  text: Text,
  field: string,
  { unit, min, max = Number.MAX_SAFE_INTEGER }: IntegerBounds & { readonly unit: 'ms' | 's' },
): Read<Text> {
  if (text === undefined) return undefined as Read<Text>;
  const value = parseDurationMs(text, field, unit) / (unit === 's' ? 1000 : 1);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw refused(text, field, `a time in whole ${unit} from ${rangeOf(min, max, unit)}`);
}

const rangeOf = (min: number, max: number, unit = ''): string =>
  max === Number.MAX_SAFE_INTEGER ? `${min}${unit} up` : `${min}${unit} to ${max}${unit}`;

/**
 * Reads a decimal number above 0; undefined for a flag that is not given.
 *
 * @throws ConfigurationError `FLAG_VALUE`
 */
export function readPositive(text: string | undefined, field: string): number | undefined {
  return readAbove0(text, field, DECIMAL, 'a number above 0');
}

/** Reads a percentage above 0, such as `5` or `5%`, as {@link readPositive}. */
export function readPercent(text: string | undefined, field: string): number | undefined {
  return readAbove0(text, field, PERCENTAGE, 'a percentage above 0');
}

const DECIMAL = /^\d+(\.\d+)?$/;
const PERCENTAGE = /^\d+(\.\d+)?%?$/;

function readAbove0(
  text: string | undefined,
  field: string,
  pattern: RegExp,
  wanted: string,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number.parseFloat(text);
  if (pattern.test(text) && value > 0) return value;
  throw refused(text, field, wanted);
}

function refused(text: string, field: string, wanted: string): ConfigurationError {
  return new ConfigurationError('FLAG_VALUE', `must be ${wanted}, not "${text}".`, { field });
}
