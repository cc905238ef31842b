/**
 * Control characters but tab and line feed, marks that turn the direction of text, separators that
 * some readers take for a line's end, invisible tags, noncharacters.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

/**
 * Text from a target or client with nothing in it that acts without being seen: such characters
 * come out as `\x1b` or `\u202e`, lone surrogates as U+FFFD; tab and line feed stay. Every medium's
 * escaping starts from it.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd').replaceAll(UNSEEN, codeOf);
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

/** The text up to `limit` UTF-16 units, never in the middle of a character, and a note if it was cut. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = (text.codePointAt(limit - 1) ?? 0) > 0xffff ? limit - 1 : limit;
  const left = text.length - end;
  return `${text.slice(0, end)}… [cut: ${left.toLocaleString('en')} more characters]`;
}
