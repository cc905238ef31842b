/** Levels of arrays and objects of a received value that are kept; those of the interface have three. */
export const MAX_JSON_LEVELS = 32;

/** Stands in for what is nested deeper. */
const TOO_DEEP = '[nested too deeply]';

/**
 * Parses JSON that was received. Values below {@link MAX_JSON_LEVELS} are replaced by a text: one byte
 * can open a level, and printing a value costs memory by the square of its levels.
 *
 * @throws SyntaxError
 */
export function parseReceivedJson(
  text: string,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  const value = parse(text);
  return isDeeper(value, MAX_JSON_LEVELS) ? cut(value, MAX_JSON_LEVELS) : value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

function cut(value: unknown, levels: number): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (levels === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((one) => cut(one, levels - 1));
  // As properties of its own: a field may be named `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, cut(one, levels - 1)]),
  );
}

/** A byte order mark: a reader of JSON may ignore it, a writer must not add it (RFC 8259, 8.1). */
export const BOM = '\uFEFF';

/**
 * Parses JSON, a byte order mark before it ignored; undefined if the text is not JSON.
 *
 * @param parse `parseAsItCame` where numbers are judged
 */
export function parseJson(text: string, parse?: (text: string) => unknown): unknown {
  try {
    return parseReceivedJson(text.startsWith(BOM) ? text.slice(1) : text, parse);
  } catch {
    return undefined;
  }
}
