import { RULES } from '../interface/catalogue.ts';
import { ERROR_CONDITIONS } from '../interface/error-conditions.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../interface/limits.ts';
import { NOBODY, WINDOW_BYTES, WindowMap } from './windows.ts';

/** Texts that documents are made of, with all words of the interface: what they hold is no secret. */
export const PUBLIC_TEXTS: readonly string[] = [
  ...RULES.flatMap(({ id, statement, section }) => [id, statement, section]),
  ...ERROR_CONDITIONS,
  TOKEN_PATH,
  ESTIMATES_PATH,
];

let windows: WindowMap | null = null;

/** Checks whether the window that ends at a position stands in the catalogue. */
export function isPublic(bytes: Uint8Array, end: number): boolean {
  windows ??= windowsOf(PUBLIC_TEXTS);
  return windows.find(bytes, end) >= 0;
}

function windowsOf(texts: readonly string[]): WindowMap {
  const map = new WindowMap();
  for (const bytes of texts.map((text) => Buffer.from(text))) {
    for (let end = WINDOW_BYTES; end <= bytes.length; end++) {
      if (map.find(bytes, end) < 0) map.add(bytes, end, NOBODY);
    }
  }
  return map;
}
