import { parseIso8601 } from '../parsing/iso8601.ts';

const HOUR_MS = 3_600_000;
const OFFSETS = Array.from({ length: 27 }, (_, at) => at - 12);

/** Notations of the time in a sent `_` that a client may have signed instead. */
export function timeNotations(sent: unknown): string[] {
  const ms = typeof sent === 'string' ? (parseIso8601(sent)?.ms ?? null) : null;
  if (typeof sent !== 'string' || ms === null) return [];
  const whole = new Date(ms).toISOString();
  const notations = OFFSETS.flatMap((hours) => {
    const local = new Date(ms + hours * HOUR_MS).toISOString().slice(0, -1);
    const seconds = local.slice(0, 19);
    const sign = hours < 0 ? '-' : '+';
    const offset = `${sign}${String(Math.abs(hours)).padStart(2, '0')}`;
    const texts = [local, seconds, `${local}000`];
    return [
      ...texts.flatMap((text) => [`${text}${offset}:00`, `${text}${offset}00`, text, `${text}Z`]),
      ...texts.map((text) => text.replace('T', ' ')),
      seconds.slice(0, 16),
      seconds.slice(0, 16).replace('T', ' '),
      seconds.replace(/\D/g, ''),
      local.replace(/\D/g, ''),
      seconds.replace(/[-:]/g, ''),
      seconds.replaceAll('-', '/').replace('T', ' '),
      seconds.slice(0, 10),
      seconds.slice(0, 10).replaceAll('-', ''),
    ];
  });
  const date = new Date(ms);
  const numbers = [Math.floor(ms / 1000), ms, ms / 1000, ms * 1000].map(String);
  const fromSent = [
    sent.replace('T', ' '),
    sent.replace(/(?<=:\d\d)[.,]\d+/, ''),
    sent.replace(/Z|[+-]\d\d:?\d\d$/, ''),
    sent.replace('+', ' '),
    sent.toLowerCase(),
    `${sent}Z`,
    JSON.stringify(sent),
    encodeURIComponent(sent),
  ];
  const spoken = [date.toUTCString(), `${date.toUTCString().slice(0, -3)}+0000`, date.toString()];
  return [...new Set([...fromSent, whole, ...notations, ...numbers, ...spoken])];
}

/** Notations of a Unix time in seconds that a client may have signed instead. */
export function unixNotations(sent: unknown): string[] {
  const seconds = Number(sent);
  if (typeof sent !== 'string' || !/^\d{10}$/.test(sent)) return [];
  const iso = new Date(seconds * 1000).toISOString();
  const near = [-3, -2, -1, 1, 2, 3].map((step) => String(seconds + step));
  return [`${sent}000`, ...near, ...timeNotations(iso), iso];
}

/** Notations of a list of scopes that a client may have signed instead. */
export function scopeNotations(sent: unknown): string[] {
  if (typeof sent !== 'string') return [];
  const scopes = sent.split(' ');
  const joined = ['%20', '+', '|', ';', ', ', '', '\n', '  '].map((joint) => scopes.join(joint));
  const texts = [JSON.stringify(scopes), `[${scopes.join(', ')}]`, scopes.toReversed().join(' ')];
  return [...joined, ...texts, ...scopes].filter((text) => text !== sent);
}
