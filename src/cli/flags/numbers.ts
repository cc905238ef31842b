import { parseDurationMs } from '../../interface/duration.ts';
import { type OptionValues, refusedValue, takes } from '../../interface/options.ts';

/** Undefined for a flag that may be left out, and is. */
type Read<Text extends string | undefined> = Text extends string ? number : number | undefined;

const PATTERNS: { readonly [Kind in OptionValues['kind']]?: RegExp } = {
  integer: /^\d+$/,
  number: /^\d+(\.\d+)?$/,
  percent: /^\d+(\.\d+)?%?$/,
};

/**
 * Reads a number, or a percentage such as `5` or `5%`; undefined for a flag that is not given.
 *
 * @param field name of the option, such as `port`
 * @throws ConfigurationError `FLAG_VALUE`
 */
export function readNumber<Text extends string | undefined>(
  text: Text,
  field: string,
  row: OptionValues,
): Read<Text> {
  if (text === undefined) return undefined as Read<Text>;
  const isNumber = PATTERNS[row.kind]?.test(text) ?? false;
  return read(isNumber ? Number.parseFloat(text) : Number.NaN, text, field, row);
}

/** Reads a port, 0 for any free one, as {@link readNumber}. */
export function readPort<Text extends string | undefined>(text: Text, field: string): Read<Text> {
  return readNumber(text, field, { kind: 'integer', min: 0, max: 65_535 });
}

/**
 * Reads a duration such as `500ms` or `10s`; undefined for a flag that is not given.
 *
 * @param unit unit of a bare number and of the result
 * @throws ConfigurationError `FLAG_VALUE` or `DURATION_INVALID`
 */
export function readDuration<Text extends string | undefined>(
  text: Text,
  field: string,
  row: OptionValues,
  unit: 'ms' | 's',
): Read<Text> {
  if (text === undefined) return undefined as Read<Text>;
  return read(parseDurationMs(text, field, unit) / (unit === 's' ? 1000 : 1), text, field, row);
}

function read<Text extends string | undefined>(
  value: number,
  text: Text,
  field: string,
  row: OptionValues,
): Read<Text> {
  if (takes(row, value)) return value;
  throw refusedValue('FLAG_VALUE', field, row, text);
}
