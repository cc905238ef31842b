import type { CheckContext } from './check.ts';

/** A signature with the digit at one position changed. */
export function changeDigit(signature: string, at: number): string {
  const digit = Number.parseInt(signature[at] ?? '0', 16);
  return signature.slice(0, at) + ((digit + 1) % 16).toString(16) + signature.slice(at + 1);
}

/** A signature with two digits exchanged: the first two that differ. */
export function exchangeDigits(signature: string): string {
  const at = Array.from(signature).findIndex((digit, place) => digit !== signature[place + 1]);
  return `${signature.slice(0, at)}${signature[at + 1]}${signature[at]}${signature.slice(at + 2)}`;
}

type Alter = (text: string, random: CheckContext['random']) => string;

/**
 * Alterations of a credential that make another one of it, close to the right one, by what they do.
 * Each keeps the form where it can, so that the difference and not the form is what is refused.
 */
export const NEAR: readonly (readonly [what: string, alter: Alter])[] = [
  ['its last character changed', changeLast],
  ['its first character changed', (text) => changeFrom(text, 0)],
  ['a character in its middle changed', (text) => changeFrom(text, Math.floor(text.length / 2))],
  [
    'a character of its second half changed',
    (text) => changeFrom(text, Math.floor((text.length * 3) / 4)),
  ],
  ['its letters in other case, or in reverse if it has none', otherCase],
  ['its end cut off by one character', (text) => text.replace(/[a-z0-9]?[^a-z0-9]*$/i, '')],
  ['four characters after it', (text, random) => text + likeness(likePart(text), random)],
  ['four characters before it', (text, random) => likeness(likePart(text), random) + text],
];

/**
 * Checks whether a credential with one character changed may be another one that was issued: a known one has
 * another of the same kind in that place, as credentials do that are counted up.
 */
export function mayBeIssued(altered: string, right: string, known: readonly string[]): boolean {
  const [at, ...others] = changesIn(altered, right);
  if (at === undefined || others.length > 0) return false;
  const kind = groupOf(altered[at] ?? '');
  return known.some(
    (one) => changesIn(one, right).join() === `${at}` && groupOf(one[at] ?? '') === kind,
  );
}

/** Places in which two texts differ. */
function changesIn(text: string, other: string): number[] {
  const longer = text.length > other.length ? text : other;
  return Array.from(longer, (_char, at) => at).filter((at) => text[at] !== other[at]);
}

/** Swaps the case of letters. */
export function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
}

/** A text of the same form with every digit and letter replaced at random. */
export function likeness(text: string, random: CheckContext['random']): string {
  const hex = HEX.test(text);
  return text.replace(/[0-9a-z]/gi, () => (hex ? random.hex(1) : random.text(1)));
}

const HEX = /^[0-9a-f-]+$/;

/** Four characters that say whether a text is hexadecimal. */
function likePart(text: string): string {
  return HEX.test(text) ? '0000' : 'xxxx';
}

function otherCase(text: string): string {
  const other = swapCase(text);
  return other === text ? Array.from(text).reverse().join('') : other;
}

/** Changes the first digit or letter at or after a position to another of its kind. */
function changeFrom(text: string, from: number): string {
  const at = text.slice(from).search(/[0-9a-z]/i) + from;
  const changed = at < from ? 'x' : nextOf(text[at] ?? '');
  return text.slice(0, Math.max(from, at)) + changed + text.slice(Math.max(from, at) + 1);
}

/** Characters that are changed only for one of the same group. */
const GROUPS = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];

const groupOf = (character: string): string =>
  GROUPS.find((one) => character !== '' && one.includes(character)) ?? '';

function nextOf(character: string): string {
  const group = groupOf(character);
  return group[(group.indexOf(character) + 1) % group.length] ?? 'x';
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Changes the last digit or letter. In Base64 some of its lower bits may be padding, which a reader
 * may ignore; so its highest bits are changed.
 */
function changeLast(text: string): string {
  return text.replace(/[0-9a-z](?=[^0-9a-z]*$)|^[^0-9a-z]*$/i, (character) => {
    if (HEX.test(text) || character.length !== 1) return nextOf(character);
    const value = (BASE64.indexOf(character) + 32) % 64;
    return BASE64[Math.min(value, BASE64.length - 1)] ?? 'x';
  });
}
