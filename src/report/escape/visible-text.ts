/**
 * Control characters except tab and line feed, marks that change the direction of text, separators
 * that some programs take for a line end, invisible tags, noncharacters.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

/**
 * Makes invisible characters of a text visible, as `\x1b` or `\u202e`, and lone surrogates U+FFFD; tab
 * and line feed stay. The escaping of every medium starts with it.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd').replaceAll(INVISIBLE, codeOf);
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

/** Cuts a text to `limit` UTF-16 units, never within a character, and says how many were cut. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = (text.codePointAt(limit - 1) ?? 0) > 0xffff ? limit - 1 : limit;
  const left = text.length - end;
  return `${text.slice(0, end)}… [cut: ${left.toLocaleString('en')} more characters]`;
}
