import { TextDecoder } from 'node:util';

type Encode = (text: string) => Uint8Array;

/** Encoding tables of charsets that the platform decodes only, each built when it is needed. */
const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

function tableOf(charset: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(charset);
  if (known) return known;
  const decoder = new TextDecoder(charset);
  const table = new Map<string, readonly number[]>();
  const add = (...bytes: number[]): void => {
    const char = decoder.decode(Uint8Array.from(bytes));
    if (char.includes('\ufffd') || Array.from(char).length !== 1 || table.has(char)) return;
    table.set(char, bytes);
  };
  for (let lead = 0x80; lead <= 0xff; lead++) add(lead);
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail);
  }
  tables.set(charset, table);
  return table;
}

/** Encodes in a charset of one or two bytes; `?` for each character that it lacks. */
export const legacy =
  (charset: string): Encode =>
  (text) => {
    const bytesOf = (char: string): readonly number[] =>
      char < '\x80' ? [char.charCodeAt(0)] : (tableOf(charset).get(char) ?? [0x3f]);
    return Buffer.from(Array.from(text, bytesOf).flat());
  };

/** Latin-1; `?` for each character beyond. */
export const latin1: Encode = (text) => Buffer.from(text.replace(/[^\0-\xff]/gu, '?'), 'latin1');

/** The low byte of each UTF-16 unit. */
export const lowBytes: Encode = (text) => Buffer.from(text, 'latin1');

export const utf16le: Encode = (text) => Buffer.from(text, 'utf16le');

export const utf16be: Encode = (text) => Buffer.from(text, 'utf16le').swap16();
