import { TextDecoder } from 'node:util';

/** A query, decoded, and what is wrong with its encoding. */
export interface QueryParts {
  /** Decoded values by name; the last of two with one name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The values as they stand in the query. */
  readonly encoded: Readonly<Record<string, string>>;
  /** In words; null for nothing. */
  readonly fault: string | null;
}

/**
 * Reads a query as it was sent, each byte one character, and says what is wrong with its encoding;
 * what is no UTF-8 is read as GBK, so that the rest of it can still be judged.
 *
 * @see interface.md, "2. Estimate prices"
 */
export function parseQuery(raw: string): QueryParts {
  const faults = new Set<string>();
  const note = (fault: string): void => void faults.add(fault);
  const parameters: [string, string][] = [];
  const encoded: [string, string][] = [];
  if (/[^\x21-\x7e]/.test(raw))
    note('a character that is not ASCII, or a space, stands in it unencoded');
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) note('a % without two hex digits');
  for (const part of raw.split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const [name, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
    const key = decodePart(name, note);
    parameters.push([key, decodePart(value, note)]);
    encoded.push([key, value]);
  }
  for (const [name, value] of parameters) {
    if (isEncodedTwice(value)) note(`"${name}" is percent-encoded twice`);
  }
  return {
    parameters: Object.fromEntries(parameters),
    encoded: Object.fromEntries(encoded),
    fault: faults.size === 0 ? null : [...faults].join('; '),
  };
}

function decodePart(text: string, note: (fault: string) => void): string {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const hex = /^%([0-9A-Fa-f]{2})/.exec(text.slice(at, at + 3));
    if (hex) {
      bytes.push(Number.parseInt(hex[1] ?? '', 16));
      at += 2;
    } else bytes.push(text[at] === '+' ? 0x20 : text.charCodeAt(at) & 0xff);
  }
  const raw = Uint8Array.from(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    const asGbk = decodeAs('gbk', raw);
    note(`bytes that are no UTF-8${asGbk === null ? '' : ` (they read as GBK: "${asGbk}")`}`);
    return asGbk ?? Buffer.from(raw).toString('latin1');
  }
}

function decodeAs(charset: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A name such as `100%25` is no double encoding; one that decodes to non-ASCII text is. */
function isEncodedTwice(value: string): boolean {
  if (!/^[\x20-\x7e]*%[0-9A-Fa-f]{2}[\x20-\x7e]*$/.test(value)) return false;
  try {
    return /[^\0-\x7f]/.test(decodeURIComponent(value));
  } catch {
    return false;
  }
}
