/** A string, with the colon behind it if it is a key; a number; the ends of an object. */
export const JSON_TOKEN: RegExp = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*|[{}]/g;

/**
 * A number of which a double is another one: it would be infinite, or an integer although the text is none.
 * As JSON it is the text.
 */
export class UnheldNumber {
  /** As it came. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}

/** A text without it has no such number: a double holds fifteen digits. */
const MAY_BE_UNHELD = /[\d.]{16}|\d[eE][+-]?\d{2}/;
/** Name of the only field of an object that stands for a number. */
const MARK = '\0number';

/**
 * Parses JSON. A number that a double does not hold becomes an {@link UnheldNumber}.
 *
 * @throws SyntaxError
 */
export function parseAsItCame(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAY_BE_UNHELD.test(text)) return value;
  let unheld = 0;
  const marked = text.replace(JSON_TOKEN, (token: string, string?: string) => {
    if (string !== undefined || /[{}]/.test(token) || isHeld(token)) return token;
    unheld++;
    return `{${JSON.stringify(MARK)}:"${token}"}`;
  });
  if (unheld === 0) return value;
  return JSON.parse(marked, (_, item: unknown) =>
    typeof item === 'object' && item !== null && MARK in item
      ? new UnheldNumber(String(item[MARK]))
      : item,
  );
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

function isHeld(token: string): boolean {
  const number = Number(token);
  if (!Number.isInteger(number)) return Number.isFinite(number);
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(token) ?? [];
  const digits = whole + fraction;
  return !/[1-9]/.test(digits.slice(Math.max(0, whole.length + Number(exponent))));
}

/**
 * Names that an object of a JSON text has twice or more, each once: a reader may take either value. Empty
 * for a text that is not JSON.
 */
export function duplicateKeys(text: string): readonly string[] {
  try {
    JSON.parse(text);
  } catch {
    return [];
  }
  const open: Set<string>[] = [];
  const twice = new Set<string>();
  for (const [token, string = '', colon] of text.matchAll(JSON_TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const key = JSON.parse(string) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) twice.add(key);
      keys?.add(key);
    }
  }
  return [...twice];
}
