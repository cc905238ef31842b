import { parseIso8601 } from '../iso8601.ts';
import { LIST_FORMS } from './notations.ts';

const LETTERS_AND_DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

const HOUR_MS = 3_600_000;
const OFFSETS = Array.from({ length: 27 }, (_, at) => at - 12);

/** Notations of the time in a sent `_` that a client may have signed instead. */
export function timeNotations(sent: unknown): string[] {
  const ms = typeof sent === 'string' ? (parseIso8601(sent)?.ms ?? null) : null;
  if (typeof sent !== 'string' || ms === null) return [];
  const notations = OFFSETS.flatMap((hours) => {
    const local = new Date(ms + hours * HOUR_MS).toISOString().slice(0, -1);
    const seconds = local.slice(0, 19);
    const sign = hours < 0 ? '-' : '+';
    const offset = `${sign}${String(Math.abs(hours)).padStart(2, '0')}`;
    const texts = [local, seconds, `${local}000`, `${local}0000`, `${local}000000`];
    return [
      ...texts.flatMap((text) => [`${text}${offset}:00`, `${text}${offset}00`, text, `${text}Z`]),
      ...texts.map((text) => text.replace('T', ' ')),
      seconds.slice(0, 16),
      seconds.slice(0, 16).replace('T', ' '),
      seconds.replace(/\D/g, ''),
      local.replace(/\D/g, ''),
      seconds.replace(/[-:]/g, ''),
      seconds.replaceAll('-', '/').replace('T', ' '),
      ...spellings(new Date(ms + hours * HOUR_MS), `${offset}00`),
      seconds.slice(0, 10),
      seconds.slice(0, 10).replaceAll('-', ''),
    ];
  });
  const date = new Date(ms);
  const numbers = [ms / 1000, ms * 1000].map(String);
  const fromSent = [
    sent.replace('+', ' '),
    sent.toLowerCase(),
    `${sent}Z`,
    JSON.stringify(sent),
    encodeURIComponent(sent),
  ];
  const spoken = [date.toUTCString(), `${date.toUTCString().slice(0, -3)}+0000`, date.toString()];
  // A clock that was cut or rounded to the sent second.
  const finer = Array.from({ length: sent.includes('.') ? 0 : 1500 }, (_, at) => ms - 500 + at);
  const moments = finer.flatMap((one) => [new Date(one).toISOString(), String(one)]);
  return [...new Set([...fromSent, ...notations, ...numbers, ...spoken, ...moments])];
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Local times as languages and cultures write them by default. */
function spellings(local: Date, offset: string): string[] {
  const two = (part: number): string => String(part).padStart(2, '0');
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth() + 1, local.getUTCDate()];
  const hours = local.getUTCHours();
  const rest = `${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())}`;
  const time = `${two(hours)}:${rest}`;
  const half = `${hours % 12 || 12}:${rest}`;
  const word = hours < 12 ? 'AM' : 'PM';
  const [weekday, name] = [DAYS[local.getUTCDay()], MONTHS[month - 1]];
  const [short, long] = [`${month}/${day}/${year}`, `${two(month)}/${two(day)}/${year}`];
  const iso = `${year}-${two(month)}-${two(day)}`;
  return [
    ...[' ', ', '].flatMap((joint) => [
      ...[' ', '\u202f'].map((space) => `${short}${joint}${half}${space}${word}`),
      `${short}${joint}${time}`,
      `${long}${joint}${time}`,
      `${two(day)}/${two(month)}/${year}${joint}${time}`,
      `${day}.${month}.${year}${joint}${time}`,
      `${two(day)}.${two(month)}.${year}${joint}${time}`,
    ]),
    `${year}/${month}/${day} ${time}`,
    `${year}/${month}/${day} ${hours}:${rest}`,
    `${weekday}, ${two(day)} ${name} ${year} ${time} ${offset}`,
    ...['CST', 'UTC', 'GMT', 'JST'].flatMap((zone) => [
      `${weekday} ${name} ${two(day)} ${time} ${zone} ${year}`,
      `${iso} ${time} ${offset} ${zone}`,
    ]),
    `${weekday} ${name} ${day} ${time} ${year}`,
    `${iso} ${time} ${offset}`,
    `${two(day)} ${name} ${year} ${time}`,
  ];
}

/** Notations of a Unix time in seconds that a client may have signed instead. */
export function unixNotations(sent: unknown): string[] {
  if (typeof sent !== 'string' || !/^\d{10}(\d{3})?$/.test(sent)) return [];
  const seconds = Number(sent.slice(0, 10));
  const iso = new Date(seconds * 1000).toISOString();
  const near = [-3, -2, -1, 1, 2, 3].map((step) => String(seconds + step));
  return [String(seconds), `${seconds}000`, ...near, ...timeNotations(iso), iso];
}

/** Notations of a list of scopes that a client may have signed instead. */
export function scopeNotations(sent: unknown): string[] {
  if (typeof sent !== 'string') return [];
  const scopes = sent.split(' ');
  const texts = [...LIST_FORMS.map(([, write]) => write(scopes)), scopes.toReversed().join(' ')];
  return texts.filter((text) => text !== sent);
}

const ALPHABETS = ['0123456789abcdef', '0123456789ABCDEF', '0123456789', LETTERS_AND_DIGITS];

/** Values of a nostr that differ a little: one that was changed after it was signed. */
export function otherNostrs(sent: unknown): unknown[] {
  if (typeof sent !== 'string' || sent === '') return [];
  const chars = Array.from(sent);
  const signs = Array.from(`${LETTERS_AND_DIGITS}-_+/=. \n`);
  const swapped = (char: string): string =>
    char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase();
  const fits = (one: string): boolean => chars.every((char) => one.includes(char));
  const alphabet = Array.from(ALPHABETS.find(fits) ?? '');
  return [
    ...(/^\d+$/.test(sent) ? [String(Number(sent))] : []),
    chars.toReversed().join(''),
    chars.map(swapped).join(''),
    ...chars.flatMap((_, at) => [
      chars.toSpliced(at, 1).join(''),
      chars.with(at, swapped(chars[at] ?? '')).join(''),
      ...signs.flatMap((sign) => [
        chars.with(at, sign).join(''),
        chars.toSpliced(at, 0, sign).join(''),
      ]),
    ]),
    ...signs.map((sign) => sent + sign),
    // A text of eight that was cut to six.
    ...alphabet.flatMap((first) => alphabet.map((second) => sent + first + second)),
  ];
}
