import { isUtf8 } from 'node:buffer';
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
  const doubt = faults.size === 0 ? encodingDoubt(parts) : null;
  return {
    parameters: Object.fromEntries(parts.map(({ name, value }) => [name, value])),
    encoded: Object.fromEntries(parts.map(({ name, encoded }) => [name, encoded])),
    encodingFault: faults.size === 0 ? null : [...faults].join('; '),
    ...(doubt !== null && { encodingDoubt: doubt }),
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

/**
 * True if a decoded value is certainly still percent-encoded: it has escapes of UTF-8 beyond ASCII,
 * and no such character as it is. An escape of ASCII may be a part of the name, as in `Gate%20A`.
 */
function isEncodedTwice(value: string): boolean {
  if (/[^\0-\x7f]/.test(value)) return false;
  const escapes = value.match(/(?:%[89A-F][0-9A-F])+/gi) ?? [];
  return escapes.some((text) => isUtf8(Buffer.from(text.replaceAll('%', ''), 'hex')));
}

/**
 * Describes values that are rather encoded twice than written so on purpose; null if there are none.
 * A name may contain `%20`: it is in doubt if no value has a space as it is.
 */
function encodingDoubt(parts: readonly NamedValue[]): string | null {
  const hasSpace = parts.some(({ value }) => value.includes(' '));
  const hasSign = parts.some(({ value }) => /[^\w.~!'()*+%-]/.test(value));
  const isPercentTwice = hasSign ? /%20/ : /%[2-7][0-9A-F]/i;
  for (const { name, value } of parts) {
    const how =
      (!hasSpace && isPercentTwice.test(value) && 'percent-encoded twice') ||
      (isUtf8Twice(value) && 'UTF-8 encoded twice') ||
      (/&#x?[0-9a-f]{2,6};/i.test(value) && 'escaped as in HTML') ||
      (/\\u[0-9a-f]{4}/i.test(value) && 'escaped as in JSON');
    if (how) return `"${name}" may be ${how}: its text is ${JSON.stringify(value)}`;
  }
  return null;
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** True if the characters of a text, each taken for a byte, are UTF-8 beyond ASCII. */
function isUtf8Twice(value: string): boolean {
  return (
    /[\x80-\xff]/.test(value) && /^[\0-\xff]*$/.test(value) && isUtf8(Buffer.from(value, 'latin1'))
  );
}
