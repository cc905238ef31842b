import type { CheckContext } from './check.ts';

/** A signature with the digit at one position changed. */
export function changeDigit(signature: string, at: number): string {
  const digit = Number.parseInt(signature[at] ?? '0', 16);
  return signature.slice(0, at) + ((digit + 1) % 16).toString(16) + signature.slice(at + 1);
}

/**
 * A token with one character of its second half changed to another of its kind, so that its form
 * stays; null if it is too short. The last character is never changed: some of its bits may be
 * padding.
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

/** Characters that are changed only for one of the same group. */
const GROUPS = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];

function nextOf(character: string): string | null {
  const group = GROUPS.find((one) => character !== '' && one.includes(character));
  return group === undefined
    ? null
    : (group[(group.indexOf(character) + 1) % group.length] ?? null);
}

/** A text of the same form with every digit and letter replaced at random. */
export function likeness(text: string, random: CheckContext['random']): string {
  const hex = /^[0-9a-f-]+$/.test(text);
  return text.replace(/[0-9a-z]/gi, () => (hex ? random.hex(1) : random.text(1)));
}
