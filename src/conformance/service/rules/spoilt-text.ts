/** A signature with the digit at a place changed. */
export function changeDigit(signature: string, at: number): string {
  const digit = Number.parseInt(signature[at] ?? '0', 16);
  return signature.slice(0, at) + ((digit + 1) % 16).toString(16) + signature.slice(at + 1);
}

/**
 * A token with one character of its second half changed for another of its kind, so that it looks as
 * before; null where it is too short. Never the last one: bits of it may be padding.
 */
export function changeSecondHalf(token: string): string | null {
  const last = token.length - 2;
  const from = Math.ceil(token.length / 2);
  for (let at = Math.floor((from + last) / 2); at >= from && at <= last; at++) {
    const changed = nextOf(token[at] ?? '');
    if (changed !== null) return token.slice(0, at) + changed + token.slice(at + 1);
  }
  return null;
}

/** Within hex digits, digits and letters a text stays what it was. */
const KINDS = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];

function nextOf(character: string): string | null {
  const kind = KINDS.find((one) => character !== '' && one.includes(character));
  return kind === undefined ? null : (kind[(kind.indexOf(character) + 1) % kind.length] ?? null);
}
