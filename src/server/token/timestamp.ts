const EXTENDED =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})([.,]\d{1,9})?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/;
const BASIC =
  /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:(\d{2})([.,]\d{1,9})?)?(Z|[+-]\d{2}(?:\d{2})?)?$/;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A point in time as the field `_` writes it. */
export interface Timestamp {
  /** Milliseconds since the epoch; one without an offset is read as UTC. */
  readonly ms: number;
  readonly hasOffset: boolean;
}

/**
 * Reads a date with a time in ISO 8601, in the extended or the basic format; null for anything
 * else. Weeks, ordinal dates and dates alone are not taken: they name no time within 10 minutes.
 *
 * @see interface.md, "Token request body"
 */
export function parseTimestamp(text: string): Timestamp | null {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const offsetMs = parseOffset(match[8]);
  if (!isDate(year ?? 0, month ?? 0, day ?? 0)) return null;
  if (!isTime(hour ?? 0, minute ?? 0, second ?? 0) || offsetMs === null) return null;
  const fraction = match[7] === undefined ? 0 : Number(`0.${match[7].slice(1)}`);
  const dayMs = utcDayMs(year ?? 0, month ?? 0, day ?? 0);
  const timeMs = (hour ?? 0) * HOUR_MS + (minute ?? 0) * MINUTE_MS + (second ?? 0) * 1000;
  return {
    ms: dayMs + timeMs + Math.floor(fraction * 1000) - offsetMs,
    hasOffset: match[8] !== undefined,
  };
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (days[month - 1] ?? 0);
}

/** A leap second is 60, and 24:00:00 the end of a day. */
function isTime(hour: number, minute: number, second: number): boolean {
  if (hour === 24) return minute === 0 && second === 0;
  return hour < 24 && minute < 60 && second <= 60;
}

/** Date.UTC would read the years 0 to 99 as 1900 to 1999. */
function utcDayMs(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function parseOffset(text: string | undefined): number | null {
  if (text === undefined || text === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * HOUR_MS + minutes * MINUTE_MS);
}
