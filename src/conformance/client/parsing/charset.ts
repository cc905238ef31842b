/** Charsets that clients are known to sign with; the documented one is UTF-8. */
export type Charset = 'utf-8' | 'gbk' | 'latin-1' | 'utf-16le';

/** Encodes text; characters that a charset lacks become `?`. */
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
  gbkTable ??= buildGbkTable();
  return gbkTable.get(char) ?? [0x3f];
}

/** Builds the encoding table from the platform's GBK decoder: it has no encoder. */
function buildGbkTable(): Map<string, readonly [number, number]> {
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
