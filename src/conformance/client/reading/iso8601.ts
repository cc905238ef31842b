const DATE = '(?<year>\\d{4})(?<dash>-?)(?<month>\\d{2})\\k<dash>(?<day>\\d{2})';
const TIME =
  '(?<hour>\\d{2})(?:(?<colon>:?)(?<minute>\\d{2})(?:\\k<colon>(?<second>\\d{2})(?<fraction>[.,]\\d+)?)?)?';
const OFFSET = '(?<offset>Z|[+-]\\d{2}(?::?\\d{2})?)?';
const DATE_TIME = new RegExp(`^${DATE}T${TIME}${OFFSET}$`);

/** A point in time that a text names. */
export interface ReadTime {
  /** Milliseconds since the epoch; a time without an offset is read as UTC. */
  readonly ms: number;
  readonly hasOffset: boolean;
}

/**
 * Reads a calendar date with a time of day in ISO 8601, extended or basic; null for anything else.
 *
 * @see interface.md, "Token request body"
 */
export function readIso8601(text: string): ReadTime | null {
  const groups = DATE_TIME.exec(text)?.groups;
  if (!groups) return null;
  const part = (name: string): number => Number(groups[name] ?? 0);
  const [year, month, day] = [part('year'), part('month'), part('day')];
  const [hour, minute, second] = [part('hour'), part('minute'), part('second')];
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return null;
  const endOfDay = hour === 24 && minute === 0 && second === 0;
  if ((hour > 23 && !endOfDay) || minute > 59 || second > 60) return null;
  const offsetMs = readOffset(groups['offset']);
  if (offsetMs === null) return null;
  const fraction = Number(`0${(groups['fraction'] ?? '.0').replace(',', '.')}`);
  const ms = midnight.getTime() + ((hour * 60 + minute) * 60 + second + fraction) * 1000 - offsetMs;
  return { ms, hasOffset: groups['offset'] !== undefined };
}

function readOffset(text: string | undefined): number | null {
  if (text === undefined || text === 'Z') return 0;
  const digits = text.slice(1).replace(':', '').padEnd(4, '0');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutes > 59) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
