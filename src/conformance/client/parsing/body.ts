import { TextDecoder } from 'node:util';
import type { ParsedTokenBody } from '../../../documents/parsed-request.ts';

/**
 * Parses the body of a token request, valid or not: a form is parsed too, so that its fields can be
 * judged.
 *
 * @see interface.md, "1. Request, refresh or exchange a token"
 */
export function parseBody(bytes: Uint8Array): ParsedTokenBody {
  const text = decode(bytes);
  const json = parseJsonObject(text);
  if (json !== null) return { body: 'json', fields: json };
  if (/^[^\s{}=&]+=[^=\s]*(&[^\s=&]+=[^=\s]*)*$/.test(text)) {
    return { body: 'form', fields: Object.fromEntries(new URLSearchParams(text)) };
  }
  return { body: 'other', fields: {} };
}

/** Parses JSON; null for anything that is not an object. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | null {
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
