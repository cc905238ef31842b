import { z } from 'zod';
import { ConfigurationError } from './errors.ts';
import { isMissing } from './missing-field.ts';
import { suggest } from './suggestion.ts';

/** A field that does not fit its schema. */
export interface ShapeProblem {
  readonly path: readonly PropertyKey[];
  /** Its place, if the field there may not be named. */
  readonly place?: readonly PropertyKey[];
  /** Problem in words, without the name of the field and without its content. */
  readonly message: string;
}

/** Problems that are told at once. */
const MOST_PROBLEMS = 10;

/** Lists what is wrong with a value that a schema refused. */
export function shapeProblems(
  error: z.ZodError,
  value: unknown,
  schema: z.ZodType,
): readonly ShapeProblem[] {
  const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonNode;
  return error.issues.slice(0, MOST_PROBLEMS).map((issue) => {
    const { path } = issue;
    if (issue.code !== 'unrecognized_keys')
      return { path, message: isMissing(value, path) ? 'is missing' : messageOf(issue) };
    const [key = ''] = issue.keys;
    const fields = fieldsAt(shape, path);
    const hint = suggest(key, fields, '');
    // Any other may be a secret, or the content of a file of another kind.
    return hint !== ''
      ? { path: [...path, key], message: `unknown key "${key}"; ${hint}` }
      : { path, place: [...path, key], message: noKnownKey(fields) };
  });
}

/**
 * Reads a value by its schema, which fills in the defaults.
 *
 * @throws ConfigurationError with the code, and a line for each field that is wrong
 */
export function readShape<T>(
  schema: z.ZodType<T>,
  value: unknown,
  { name, code }: { readonly name: string; readonly code: string },
): T {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const lines = shapeProblems(error, value, schema).map(
    ({ path, message }) => `${fieldName([name, ...path], name)}: ${message}`,
  );
  throw new ConfigurationError(code, lines.join('\n'), { cause: error });
}

/** Name of a field, such as `partners[0].id`; that of the whole value for an empty path. */
export function fieldName(path: readonly PropertyKey[], whole: string): string {
  if (path.length === 0) return whole;
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`,
    )
    .join('');
}

/** Keys that a message names; the schema has them all. */
const NAMED_KEYS = 5;

function noKnownKey(known: readonly string[]): string {
  const more = known.length > NAMED_KEYS ? ', …' : '';
  const names = known.slice(0, NAMED_KEYS).join(', ');
  return `unknown key${names === '' ? '' : `; known are ${names}${more}`}`;
}

/** Part of a JSON Schema. */
interface JsonNode {
  readonly properties?: Readonly<Record<string, JsonNode>>;
  readonly items?: JsonNode;
  readonly anyOf?: readonly JsonNode[];
}

/** Names of the fields that an object at a path may have. */
function fieldsAt(node: JsonNode, [first, ...rest]: readonly PropertyKey[]): string[] {
  const nodes = node.anyOf ?? [node];
  return nodes.flatMap((one) => {
    if (first === undefined) return Object.keys(one.properties ?? {});
    const next = typeof first === 'number' ? one.items : one.properties?.[String(first)];
    return next === undefined ? [] : fieldsAt(next, rest);
  });
}

/** Describes what the members of a union accept; the union itself only says "invalid". */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message;
  const members = issue.errors.flat().map((inner) => {
    const place = fieldName(inner.path, '');
    return `${place && `${place}: `}${messageOf(inner)}`;
  });
  return [...new Set(members)].join(', or ') || issue.message;
}
