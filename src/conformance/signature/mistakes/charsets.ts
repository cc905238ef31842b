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

/** Characters of Windows-1252 from 0x80 on; the platform takes it for Latin-1. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

export const windows1252: Encode = (text) =>
  latin1(
    text.replace(/[^\0-\xff]/gu, (char) => {
      const at = WINDOWS.indexOf(char);
      return at === -1 ? '?' : String.fromCharCode(0x80 + at);
    }),
  );

/** Latin-1; `?` for each character beyond. */
export const latin1: Encode = (text) => Buffer.from(text.replace(/[^\0-\xff]/gu, '?'), 'latin1');

/** The low byte of each UTF-16 unit. */
export const lowBytes: Encode = (text) => Buffer.from(text, 'latin1');

export const utf16le: Encode = (text) => Buffer.from(text, 'utf16le');

export const utf16be: Encode = (text) => Buffer.from(text, 'utf16le').swap16();

export const utf32le: Encode = (text) =>
  Buffer.from(Uint32Array.from(Array.from(text), (char) => char.codePointAt(0) ?? 0).buffer);

/** UTF-8 of each UTF-16 unit, as the modified UTF-8 of Java. */
export const cesu8: Encode = (text) =>
  Buffer.concat(
    Array.from(text, (char) =>
      char.length === 1 ? Buffer.from(char) : Buffer.concat(char.split('').map(ofSurrogate)),
    ),
  );

function ofSurrogate(half: string): Buffer {
  const unit = half.charCodeAt(0);
  return Buffer.from([0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]);
}
