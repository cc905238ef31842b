import { isDuration, parseDurationMs } from './duration.ts';
import { ConfigurationError } from './errors.ts';
import { suggest } from './suggestion.ts';

type OptionKind =
  | 'text'
  | 'texts'
  | 'number'
  | 'integer'
  | 'duration'
  | 'share'
  | 'percent'
  | 'switch'
  | 'function'
  | 'object'
  | 'list';

/** Values that an option takes: a flag of the command and the option of the library are read by one row. */
export interface OptionValues {
  readonly kind: OptionKind;
  readonly choices?: readonly string[];
  /** Bounds of a number, or of the length of a list; `above` is exclusive, also of a duration. */
  readonly above?: number;
  readonly min?: number;
  readonly max?: number;
  /** The values in words, without their bounds. */
  readonly unit?: string;
  /** Word that is taken besides, such as `all`. */
  readonly or?: string;
  /** True for an option that cannot be left out; read for options of a function itself. */
  readonly isRequired?: boolean;
  /** Code of the error in the library. */
  readonly code?: string;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isWithin = (value: unknown, { min = -Infinity, max = Infinity, above }: OptionValues) =>
  typeof value === 'number' &&
  Number.isFinite(value) &&
  value >= min &&
  value <= max &&
  (above === undefined || value > above);

const isTime = (value: unknown, row: OptionValues) =>
  typeof value === 'string'
    ? isDuration(value) && isWithin(parseDurationMs(value, '', 'ms'), row)
    : isWithin(value, { ...row, min: 0 });

/** Each kind in words, and what belongs to it. */
const KINDS: Readonly<
  Record<OptionKind, readonly [string, (value: unknown, row: OptionValues) => boolean]>
> = {
  text: ['a text', isText],
  texts: [
    'an expression, or a list of them',
    (value) => (Array.isArray(value) ? value.length > 0 && value.every(isText) : isText(value)),
  ],
  number: ['a number', isWithin],
  integer: ['an integer', (value, row) => Number.isSafeInteger(value) && isWithin(value, row)],
  duration: ['a time', isTime],
  share: ['a share from 0 to 1, or in %', isWithin],
  percent: ['a percentage', isWithin],
  switch: ['true or false', (value) => typeof value === 'boolean'],
  function: ['a function', (value) => typeof value === 'function'],
  object: ['an object', (value) => typeof value === 'object' && value !== null],
  list: ['a list', (value, { min = 0 }) => Array.isArray(value) && value.length >= min],
};

/** True for a value that an option takes. */
export function takes(row: OptionValues, value: unknown): boolean {
  const { kind, choices, or } = row;
  if (or !== undefined && value === or) return true;
  return choices?.includes(value as string) ?? KINDS[kind][1](value, row);
}

const HOUR_MS = 3_600_000;

/** Values of a timeout: a timer of Node fires at once beyond 24 days. */
export const TIMEOUT = { kind: 'duration', above: 0, max: 24 * HOUR_MS } as const;

const inWords = (kind: OptionKind, bound: number): string =>
  kind === 'duration' ? `${bound / HOUR_MS}h` : bound.toLocaleString('en-US');

/** The values that an option takes, in words. */
export function valuesOf({ kind, choices, unit, min, max, above, or }: OptionValues): string {
  if (choices !== undefined) return choices.join(' or ');
  const values = unit ?? KINDS[kind][0];
  const more = `${kind === 'duration' ? ', such as 500ms or 10s' : ''}${or === undefined ? '' : ` or "${or}"`}`;
  const most = max === undefined ? '' : ` and at most ${inWords(kind, max)}`;
  if (above !== undefined) return `${values} above ${above}${most}${more}`;
  if (min === undefined || kind === 'list') return values + more;
  if (kind === 'integer' && min === 1 && max === undefined) return `a positive integer${more}`;
  return `${values} from ${min} ${max === undefined ? 'up' : `to ${inWords(kind, max)}`}${more}`;
}

/** Values of options by name: true for one that is read by itself, a table for a group of options. */
export interface OptionTable {
  readonly [name: string]: true | OptionValues | OptionTable;
}

/** All options of a type, so that the compiler finds one that is missing. */
export type OptionTableOf<Options> = {
  readonly [Name in keyof Required<Options>]: OptionTable[string];
};

/**
 * Refuses an option that a function does not have, since without types a mistyped one would be left out in silence,
 * and a value that an option does not take.
 *
 * @param given undefined for none
 * @param group name of the group that they are in; empty for the options of the function itself
 * @throws ConfigurationError `OPTION_UNKNOWN`, with the nearest name, and `OPTION_INVALID`, or the code of the option
 */
export function checkOptions(given: unknown, table: OptionTable, group = ''): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null) {
    const isWhole = group === '';
    const problem = isWhole ? 'The options must be an object.' : 'must be an object.';
    throw new ConfigurationError('OPTION_UNKNOWN', problem, { field: isWhole ? undefined : group });
  }
  for (const [name, value] of Object.entries(given)) {
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    const path = group === '' ? name : `${group}.${name}`;
    if (row === undefined) {
      const all = Object.keys(table);
      const hint = suggest(name, all, `there are ${all.join(', ')}.`);
      throw new ConfigurationError('OPTION_UNKNOWN', `there is no such option; ${hint}`, {
        field: path,
      });
    }
    if (row === true || value === undefined) continue;
    if (isRow(row)) checkValue(value, path, row);
    else checkOptions(value, row, path);
  }
  for (const [name, row] of Object.entries(table)) {
    if (row === true || !isRow(row) || !row.isRequired) continue;
    checkValue((given as Readonly<Record<string, unknown>>)[name], name, row);
  }
}

const isRow = (row: OptionValues | OptionTable): row is OptionValues =>
  typeof row['kind'] === 'string';

function checkValue(value: unknown, field: string, row: OptionValues): void {
  if (takes(row, value)) return;
  const code = row.code ?? (row.kind === 'duration' ? 'DURATION_INVALID' : 'OPTION_INVALID');
  throw refusedValue(code, field, row, value);
}

/** An error of an option that does not take a value. */
export function refusedValue(
  code: string,
  field: string,
  row: OptionValues,
  value: unknown,
): ConfigurationError {
  return new ConfigurationError(code, `must be ${valuesOf(row)}, not ${shown(value)}.`, { field });
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'this list';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
