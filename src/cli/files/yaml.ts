import { type Document, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigurationError } from '../../interface/errors.ts';
import { isMissing } from '../../interface/missing-field.ts';
import { suggest } from '../../interface/suggestion.ts';
import type { Io } from '../io.ts';
import { readTextFile } from './text.ts';

/**
 * Reads a YAML (or JSON) file, replaces `${NAME}` in strings from the environment, and checks its
 * shape; errors name file, line and field.
 *
 * @throws ConfigurationError `FILE_NOT_READ`, `YAML_BROKEN`, `ENVIRONMENT_MISSING` or `FILE_SHAPE`
 */
export async function readYamlFile<T>(
  path: string,
  shape: z.ZodType<T>,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<T> {
  return (await readLocatedYaml(path, shape, io)).data;
}

/** Content of a file and the positions of its fields. */
export interface LocatedYaml<T> {
  data: T;
  /** `file:line: field` of a field, as errors name it. */
  fieldAt(at: readonly PropertyKey[]): string;
}

/**
 * Same as {@link readYamlFile}, for values that are checked later.
 *
 * @throws as {@link readYamlFile}
 */
export async function readLocatedYaml<T>(
  path: string,
  shape: z.ZodType<T>,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<LocatedYaml<T>> {
  const text = await readTextFile(path, io.cwd);
  const lines = new LineCounter();
  const document = parseDocument(guardReferences(text), {
    lineCounter: lines,
    prettyErrors: false,
  });
  const [broken] = document.errors;
  if (broken) {
    const { line } = lines.linePos(broken.pos[0]);
    throw new ConfigurationError('YAML_BROKEN', `${path}:${line}: ${withoutContent(broken)}`);
  }
  const locate = (at: readonly PropertyKey[]): string => position(document, lines, path, at);
  const content = fillEnvironment(toJs(document, path), io.env, locate);
  const result = shape.safeParse(content);
  if (result.success) {
    return { data: result.data, fieldAt: (at) => `${locate(at)}: ${fieldName(at)}` };
  }
  throw new ConfigurationError(
    'FILE_SHAPE',
    describeIssues(result.error, locate, { content, shape }),
  );
}

/** Placeholders for the braces of `${NAME}`, which YAML does not allow in `{ flow: ${NAME} }`. */
const OPEN = '\uFDD0';
const CLOSE = '\uFDD1';
const REFERENCE = new RegExp(`\\$${OPEN}([A-Za-z_]\\w*)${CLOSE}`, 'g');

/** Text of the same length, so that positions stay valid. */
function guardReferences(text: string): string {
  return text.replace(/\$\{([A-Za-z_]\w*)\}/g, `$$${OPEN}$1${CLOSE}`);
}

/** Limits the expansion of aliases, so that a small file cannot become a huge object. */
function toJs(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new ConfigurationError('YAML_BROKEN', `${path}: ${withoutContent(error as Error)}`);
  }
}

/** The message of a parser, without what it quotes of the file: that may be a secret. */
function withoutContent({ message }: Error): string {
  return /^[^:!"*&\\]+/.exec(message)?.[0].trim() ?? 'not YAML';
}

/** A key that may be shown: others may be the content of a file of another kind, such as passwords. */
const SHOWN_KEY = /^[a-z][\w-]{0,31}$/i;

/** One line per issue: `file:line: field: problem`. */
function describeIssues(
  error: z.ZodError,
  locate: (at: readonly PropertyKey[]) => string,
  { content, shape }: { readonly content: unknown; readonly shape: z.ZodType },
): string {
  const known = fieldsAt(schemaOf(shape), []);
  const isOfShape = Object.keys(content ?? {}).some((key) => known.includes(key));
  return error.issues
    .slice(0, 10)
    .map((issue) => {
      const hint = hintOf(issue, shape);
      if (issue.code === 'unrecognized_keys') {
        const [key = ''] = issue.keys;
        const isShown = SHOWN_KEY.test(key) && (isOfShape || hint !== '');
        return isShown
          ? `${locate([...issue.path, key])}: ${fieldName([...issue.path, key])}: Unrecognized key: "${key}"${hint}`
          : `${locate(issue.path)}: ${fieldName(issue.path)}: ${noKnownKey(fieldsAt(schemaOf(shape), issue.path))}`;
      }
      const { path } = issue;
      const problem = isMissing(content, path) ? 'is missing' : messageOf(issue);
      return `${locate(path)}: ${fieldName(path)}: ${problem}`;
    })
    .join('\n');
}

/** Keys that a message names; the schema has them all. */
const NAMED_KEYS = 5;

function noKnownKey(known: readonly string[]): string {
  const more = known.length > NAMED_KEYS ? ', …' : '';
  const names = known.slice(0, NAMED_KEYS).join(', ');
  return `has an unrecognized key${names === '' ? '' : `; there are ${names}${more}`}`;
}

/** The field that was probably meant by one that is unknown; empty if none is similar. */
function hintOf(issue: z.core.$ZodIssue, shape: z.ZodType): string {
  const typed = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  if (typed === undefined) return '';
  const hint = suggest(typed, fieldsAt(schemaOf(shape), issue.path), '');
  return hint === '' ? '' : `; ${hint}`;
}

/** The JSON Schema of a shape; an empty one if it has none. */
function schemaOf(shape: z.ZodType): JsonNode {
  return z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as JsonNode;
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
  const members = issue.errors.flat().map((inner) => fieldPrefix(inner.path) + messageOf(inner));
  return [...new Set(members)].join(', or ') || issue.message;
}

const fieldPrefix = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? '' : `${fieldName(path)}: `;

const fieldName = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? 'the whole file'
    : path
        .map((part, index) =>
          typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`,
        )
        .join('');

/** `file:line` of the innermost existing node on the path. */
function position(
  document: Document,
  lines: LineCounter,
  path: string,
  at: readonly PropertyKey[],
): string {
  for (let depth = at.length; depth >= 0; depth--) {
    const node = document.getIn(at.slice(0, depth), true) as
      | { range?: [number, number, number] | null }
      | undefined;
    if (node?.range) return `${path}:${lines.linePos(node.range[0]).line}`;
  }
  return `${path}:1`;
}

function fillEnvironment(
  value: unknown,
  env: Io['env'],
  locate: (at: readonly PropertyKey[]) => string,
  at: readonly PropertyKey[] = [],
): unknown {
  if (typeof value === 'string') {
    return value.replace(REFERENCE, (_reference, name: string) => {
      const filled = env[name];
      if (filled !== undefined) return filled;
      throw new ConfigurationError(
        'ENVIRONMENT_MISSING',
        `${locate(at)}: ${fieldName(at)}: the environment variable ${name} is not set; set it, or write the value.`,
      );
    });
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => fillEnvironment(item, env, locate, [...at, index]));
  }
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        fillEnvironment(item, env, locate, [...at, key]),
      ]),
    );
  }
  return value;
}
