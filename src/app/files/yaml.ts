import { type Document, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { ConfigurationError } from '../../interface/errors.ts';
import { fieldName, shapeProblems } from '../../interface/shape-problems.ts';
import type { Surroundings } from '../surroundings.ts';
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
  io: Pick<Surroundings, 'cwd' | 'env'>,
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
  io: Pick<Surroundings, 'cwd' | 'env'>,
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
    return { data: result.data, fieldAt: (at) => `${locate(at)}: ${nameOf(at)}` };
  }
  const problems = shapeProblems(result.error, content, shape).map(
    ({ path: at, place = at, message }) =>
      // Of an unknown key at the top, the line says where it is.
      `${locate(place)}: ${at.length === 0 && place !== at ? '' : `${nameOf(at)}: `}${message}`,
  );
  throw new ConfigurationError('FILE_SHAPE', problems.join('\n'));
}

/** Placeholders for the braces of `${NAME}`, which YAML does not allow in `{ flow: ${NAME} }`. */
const OPEN = '\uFDD0';
const CLOSE = '\uFDD1';
const REFERENCE = new RegExp(`\\$${OPEN}([A-Za-z_]\\w*)${CLOSE}`, 'g');

/** Usual name of a variable; anything else may be a secret that was written in place of one. */
const VARIABLE = /^[A-Z]+[0-9]*(?:_[A-Z]*[0-9]*)*$/;

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

/** Name of a field; that of the file for an empty path. */
const nameOf = (path: readonly PropertyKey[]): string => fieldName(path, 'the whole file');

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
  env: Surroundings['env'],
  locate: (at: readonly PropertyKey[]) => string,
  at: readonly PropertyKey[] = [],
): unknown {
  if (typeof value === 'string') {
    return value.replace(REFERENCE, (_reference, name: string) => {
      const filled = env[name];
      if (filled !== undefined) return filled;
      throw new ConfigurationError(
        'ENVIRONMENT_MISSING',
        `${locate(at)}: ${nameOf(at)}: the environment variable ${VARIABLE.test(name) ? name : 'that it names'} is not set; set it, or write the value.`,
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
