import { z } from 'zod';
import { ConfigurationError } from '../interface/errors.ts';
import { takes, valuesOf } from '../interface/options.ts';
import { fieldName, shapeProblems } from '../interface/shape-problems.ts';
import {
  type Defaulted,
  type LoadFlags,
  type LoadOptions,
  OPTION_NAMES,
  OPTION_ROWS,
  type OptionName,
  type OptionRow,
  RUN_OPTION_NAMES,
  refuseConflicts,
  runOptionsOf,
  withDefaults,
} from './options.ts';

/** Options of a run with their defaults. */
export type ReadOptions = LoadOptions & Defaulted;

/** Schema of an option in a suite, and in the options of the library. */
function schemaOf(row: OptionRow): z.ZodType {
  const { kind, choices, above, min, max } = row;
  const error = `give ${valuesOf(row)}.`;
  const text = z.string({ error }).min(1, { error });
  const number = (type: z.ZodNumber): z.ZodNumber => {
    const from = above === undefined ? type : type.gt(above, { error });
    const least = min === undefined ? from : from.min(min, { error });
    return max === undefined ? least : least.max(max, { error });
  };
  switch (kind) {
    case 'number':
      return number(z.number({ error }));
    case 'integer':
      return number(z.int({ error }));
    case 'duration':
      return z
        .union([text, z.number({ error }).min(0, { error }).transform(String)])
        .refine((time) => takes(row, time), { error });
    case 'share':
      return z.union([text, z.number({ error }).min(0, { error }).max(1, { error })]);
    case 'texts':
      return z.union([z.array(text, { error }), text.transform((one) => [one])]);
    case 'switch':
      return z.boolean({ error });
    default:
      return choices === undefined ? text : z.enum([...choices], { error });
  }
}

const schemaOfAll = <T>(names: readonly OptionName[]): z.ZodType<T> =>
  z.strictObject(
    Object.fromEntries(names.map((name) => [name, schemaOf(OPTION_ROWS[name]).optional()])),
  ) as z.ZodType as z.ZodType<T>;

const runOptionsSchema = schemaOfAll<LoadOptions>(RUN_OPTION_NAMES);
const flagsSchema = schemaOfAll<LoadFlags>(OPTION_NAMES);

/** Schema of a load suite's file: a named set of options of a run. */
export const loadSuiteSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  load: runOptionsSchema,
});

/** A load suite, as data. */
export type LoadSuite = z.infer<typeof loadSuiteSchema>;

/**
 * The options of a run, checked, with their defaults.
 *
 * @throws ConfigurationError `LOAD_OPTIONS_INVALID`
 */
export const readOptions = (given: LoadOptions): ReadOptions =>
  withDefaults(checked(runOptionsOf(given), runOptionsSchema));

/** The flags of a command, checked; throws as {@link readOptions}. */
export const readFlags = (given: LoadFlags): LoadFlags => checked(given, flagsSchema);

function checked<T extends LoadFlags | LoadOptions>(given: T, schema: z.ZodType<T>): T {
  const { data, error } = schema.safeParse(given);
  if (error) {
    const [{ path, message } = { path: [], message: error.message }] = shapeProblems(
      error,
      given,
      schema,
    );
    throw invalid(message, fieldName(path, 'options'));
  }
  refuseConflicts(data);
  return data;
}

/** An error of an option whose value it does not take. */
export const invalid = (problem: string, field: string): ConfigurationError =>
  new ConfigurationError('LOAD_OPTIONS_INVALID', problem, { field });

/** Reads a share of 1, such as `0.5` or `50%`; throws ConfigurationError `LOAD_OPTIONS_INVALID`. */
export function readShare(value: string | number | undefined): number | undefined {
  if (value === undefined || typeof value === 'number') return value;
  const [, amount, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(value) ?? [];
  const share = Number(amount) / (percent ? 100 : 1);
  if (share >= 0 && share <= 1) return share;
  throw invalid(`give ${valuesOf(OPTION_ROWS.validate)}.`, 'validate');
}
