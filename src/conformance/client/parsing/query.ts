import { TextDecoder } from 'node:util';
import type { ParsedEstimateQuery } from '../../../documents/parsed-request.ts';

/** A query, decoded and as sent. */
export interface QueryParts extends ParsedEstimateQuery {
  /** Encoded values, by decoded name. */
  readonly encoded: Readonly<Record<string, string>>;
}

/**
 * Parses a query as sent, each byte one character, and describes what is wrong with its encoding.
 * Bytes that are not UTF-8 are decoded as GBK, so that the other parameters can still be judged.
 *
 * @see interface.md, "2. Estimate prices"
 */
export function parseQuery(raw: string): QueryParts {
  const faults = new Set<string>();
  if (/[^\x21-\x7e]/.test(raw)) faults.add('an unencoded space or non-ASCII character');
  if (raw.includes('#')) faults.add('an unencoded #');
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) faults.add('a % without two hex digits');
  const parts = raw
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...rest] = part.split('=');
      const encoded = rest.join('=');
      const value = decodePart(encoded, faults);
      return { name: decodePart(name, faults), value, encoded };
    });
  for (const { name, value } of parts) {
    if (isEncodedTwice(value)) faults.add(`"${name}" is percent-encoded twice`);
  }
  return {
    parameters: Object.fromEntries(parts.map(({ name, value }) => [name, value])),
    encoded: Object.fromEntries(parts.map(({ name, encoded }) => [name, encoded])),
    encodingFault: faults.size === 0 ? null : [...faults].join('; '),
  };
}

function decodePart(text: string, faults: Set<string>): string {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const hex = /^%([0-9A-Fa-f]{2})/.exec(text.slice(at, at + 3));
    if (hex) {
      bytes.push(Number.parseInt(hex[1] ?? '', 16));
      at += 2;
    } else bytes.push(text[at] === '+' ? 0x20 : text.charCodeAt(at) & 0xff);
  }
  const raw = Uint8Array.from(bytes);
  const utf8 = decodeAs('utf-8', raw);
  if (utf8 !== null) return utf8;
  const gbk = decodeAs('gbk', raw);
  faults.add(`bytes that are not UTF-8${gbk === null ? '' : ` (as GBK they are "${gbk}")`}`);
  return gbk ?? Buffer.from(raw).toString('latin1');
}

function decodeAs(charset: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** True if a decoded value is still percent-encoded: `Gate%2023`, but not `100% A`. */
function isEncodedTwice(value: string): boolean {
  // Escapes of signs that no name contains, and of spaces where none is left.
  if (/%(?:23|26|2B|2F|3D|3F)/i.test(value)) return true;
  if (value.includes('%20') && !value.includes(' ')) return true;
  if (!/^([\w.~!'()*+-]|%[0-9A-F]{2})*%[0-9A-F]{2}([\w.~!'()*+-]|%[0-9A-F]{2})*$/i.test(value)) {
    return false;
  }
  try {
    return decodeURIComponent(value) !== value;
  } catch {
    return false;
  }
}
