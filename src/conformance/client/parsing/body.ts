import { TextDecoder } from 'node:util';

/** A token request's body; form fields are read too, so that the rest of it can be judged. */
export interface BodyFields {
  readonly body: 'json' | 'form' | 'other';
  /** In the order in which they were sent. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Reads the body of a token request, right or wrong.
 *
 * @see interface.md, "1. Request, refresh or exchange a token"
 */
export function parseBody(bytes: Uint8Array): BodyFields {
  const text = decode(bytes);
  const json = parseJson(text);
  if (json !== null) return { body: 'json', fields: json };
  if (/^[^\s{}=&]+=[^=\s]*(&[^\s=&]+=[^=\s]*)*$/.test(text)) {
    return { body: 'form', fields: Object.fromEntries(new URLSearchParams(text)) };
  }
  return { body: 'other', fields: {} };
}

/** The value as an object; null for anything else. */
export function parseJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
    return value as Record<string, unknown>;
  } catch {
    return null;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}
