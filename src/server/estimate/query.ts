import { Refusal } from '../refusal.ts';

/** Decoded parameters of a query, by name. */
export type QueryParameters = ReadonlyMap<string, string>;

/** A parsed query: its parameters, decoded and as they were sent. */
export interface ParsedQuery {
  readonly decoded: QueryParameters;
  /** Values as they were sent, for the gap `estimate-signed-decoded-or-encoded`. */
  readonly encoded: QueryParameters;
}

/**
 * Parses a raw query: strict percent-encoded UTF-8, `+` for a space, each name once.
 *
 * @throws Refusal `parameter-invalid`
 * @see interface.md, "2. Estimate prices"
 */
export function parseQuery(rawQuery: string): ParsedQuery {
  const decoded = new Map<string, string>();
  const encoded = new Map<string, string>();
  for (const part of rawQuery.split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decode(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? '' : part.slice(at + 1);
    if (decoded.has(name)) throw invalid(name, 'is in the query twice');
    decoded.set(name, decode(value));
    encoded.set(name, value);
  }
  return { decoded, encoded };
}

function decode(text: string): string {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7e) throw badEncoding();
  }
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw badEncoding();
  }
}

function badEncoding(): Refusal {
  return new Refusal('parameter-invalid', 'The query must be percent-encoded UTF-8.', {
    rule: 'estimate/non-ascii-names',
  });
}

function invalid(field: string, what: string): Refusal {
  return new Refusal('parameter-invalid', `The parameter ${field} ${what}.`, { field });
}
