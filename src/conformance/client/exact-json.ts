import canonicalizeJson from 'canonicalize';
import { JSON_TOKEN } from '../../answers/json-text.ts';

/** JSON that not every parser reads alike; the message says what differs. */
export class AmbiguityError extends Error {}

const ESCAPED_BACKSLASH = '\\\\';
/** An escaped backslash, or half of a pair: `JSON.stringify` escapes no other surrogate. */
const BACKSLASH_OR_LONE_SURROGATE = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

/** Writes a value and reads it again, without what {@link parseExactJson} refuses. */
export function toExactJson(value: unknown): unknown {
  const text = JSON.stringify(value).replace(BACKSLASH_OR_LONE_SURROGATE, (escape) =>
    escape === ESCAPED_BACKSLASH ? escape : '\uFFFD',
  );
  return JSON.parse(text, (key, item: unknown) => (key === '__proto__' ? undefined : item));
}

/**
 * Writes a JSON value in the canonical form of RFC 8785.
 *
 * @throws Error for what that form does not have: a lone surrogate, or values that are nested too deeply
 */
export function canonical(value: unknown): string {
  return canonicalizeJson(value) ?? '';
}

/**
 * Parses JSON that every parser reads alike.
 *
 * @throws SyntaxError for what is not JSON
 * @throws AmbiguityError for what some parsers refuse, or read as something else
 */
export function parseExactJson(text: string): unknown {
  if (text.startsWith('\uFEFF')) throw new AmbiguityError('it begins with a byte order mark');
  const value: unknown = JSON.parse(text);
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(JSON_TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) takeKey(JSON.parse(string ?? '') as string, open.at(-1));
    else if (string === undefined && JSON.stringify(Number(token)) !== token) {
      throw new AmbiguityError(`some parsers read the number ${token} as another one`);
    }
  }
  try {
    canonical(value);
  } catch (error) {
    throw new AmbiguityError(`some parsers refuse it (${(error as Error).message})`, {
      cause: error,
    });
  }
  return value;
}

function takeKey(key: string, others: Set<string> | undefined): void {
  const shown = JSON.stringify(key);
  if (others?.has(key)) throw new AmbiguityError(`the key ${shown} stands twice in one object`);
  if (key === '__proto__') throw new AmbiguityError(`some parsers drop the key ${shown}`);
  others?.add(key);
}
