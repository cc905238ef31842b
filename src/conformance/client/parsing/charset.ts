/** Charsets that clients are known to sign in; the interface asks for UTF-8. */
export type Charset = 'utf-8' | 'gbk' | 'latin-1' | 'utf-16le';

/** Encodes text; what a charset cannot write becomes `?`. */
export function encodeText(text: string, charset: Charset): Uint8Array {
  switch (charset) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'latin-1':
      return Buffer.from(Array.from(text, latin1Of));
    case 'gbk':
      return Buffer.from(Array.from(text, gbkOf).flat());
  }
}

function latin1Of(char: string): number {
  const point = char.codePointAt(0) ?? 0;
  return point < 0x100 ? point : 0x3f;
}

let gbkTable: ReadonlyMap<string, readonly [number, number]> | undefined;

function gbkOf(char: string): readonly number[] {
  const point = char.codePointAt(0) ?? 0;
  if (point < 0x80) return [point];
  gbkTable ??= readGbkTable();
  return gbkTable.get(char) ?? [0x3f];
}

/** The platform only decodes GBK, so the table is read backwards: each double byte, decoded. */
function readGbkTable(): Map<string, readonly [number, number]> {
  const decoder = new TextDecoder('gbk');
  const table = new Map<string, readonly [number, number]>();
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      if (trail === 0x7f) continue;
      const char = decoder.decode(Uint8Array.of(lead, trail));
      if (!char.includes('\ufffd') && Array.from(char).length === 1) table.set(char, [lead, trail]);
    }
  }
  return table;
}
