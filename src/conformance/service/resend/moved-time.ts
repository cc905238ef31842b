/** A date and a time of day in digits, in that order, with or without separators. */
const DATE_AND_TIME =
  /(\d{4})(\D{0,1})(\d{2})(\D{0,1})(\d{2})(\D{0,2})(\d{2})(\D{0,1})(\d{2})(\D{0,1})(\d{2})([.,]\d+)?/;

/** Unix time in seconds or milliseconds, possibly within other text. */
const UNIX_TIME = /(?<!\d)(\d{13}|\d{10})(?!\d)/;

const DAY_MS = 86_400_000;

/**
 * Moves a time that was sent, and keeps its form: only its digits change. A text without a time stays
 * as it is.
 *
 * @param sentAtMs when it was sent, in ms since the epoch; a number far from it is no Unix time
 * @returns null for a time in a form that is not known
 */
export function movedTime(sent: string, byMs: number, sentAtMs: number): string | null {
  const atMs = Date.parse(sent);
  if (!Number.isNaN(atMs) && new Date(atMs).toUTCString() === sent)
    return new Date(atMs + byMs).toUTCString();
  const unix = UNIX_TIME.exec(sent)?.[1];
  if (unix !== undefined) {
    const unitMs = unix.length === 13 ? 1 : 1000;
    if (Math.abs(Number(unix) * unitMs - sentAtMs) < 2 * DAY_MS)
      return sent.replace(unix, String(Math.floor((Number(unix) * unitMs + byMs) / unitMs)));
  }
  const parts = DATE_AND_TIME.exec(sent);
  // A date that does not exist, such as an hour 25, has no later one that is wrong in the same way.
  if (parts)
    return movedDigits(parts, 0) === parts[0]
      ? sent.replace(parts[0], movedDigits(parts, byMs))
      : null;
  return /\p{Nd}{4}/u.test(sent) ? null : sent;
}

function movedDigits(parts: RegExpExecArray, byMs: number): string {
  const [, year, a, month, b, day, c, hour, d, minute, e, second, fraction = ''] = parts;
  const beforeMs = Date.UTC(...numbers(year, month, day, hour, minute, second));
  const fractionMs = fraction === '' ? 0 : Math.floor(Number(`0.${fraction.slice(1)}`) * 1000);
  const iso = new Date(beforeMs + fractionMs + byMs).toISOString();
  const at = (start: number, end: number): string => iso.slice(start, end);
  const digits = at(20, 23)
    .padEnd(fraction.length - 1, '0')
    .slice(0, Math.max(0, fraction.length - 1));
  const point = fraction.slice(0, 1);
  return `${at(0, 4)}${a}${at(5, 7)}${b}${at(8, 10)}${c}${at(11, 13)}${d}${at(14, 16)}${e}${at(17, 19)}${point}${digits}`;
}

type Six = [number, number, number, number, number, number];

/** Arguments of `Date.UTC`, which counts months from 0. */
function numbers(...parts: readonly (string | undefined)[]): Six {
  return parts.map((part, at) => Number(part) - (at === 1 ? 1 : 0)) as Six;
}
