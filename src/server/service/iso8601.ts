/** Date, time and offset. */
const PARTS = /^([0-9W-]+)T([0-9:]+)(?:[.,]([0-9]+))?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?$/;

/** Year and dash, then month and day, week and weekday, or the day of the year. */
const DATE = /^(\d{4})(-?)(?:(\d{2})\2(\d{2})|W(\d{2})\2([1-7])|(\d{3}))$/;
const EXTENDED_TIME = /^(\d{2})(?::(\d{2})(?::(\d{2}))?)?$/;
const BASIC_TIME = /^(\d{2})(?:(\d{2})(\d{2})?)?$/;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A point in time as it is written in ISO 8601. */
export interface Timestamp {
  /** Milliseconds since the epoch; one without an offset is read as UTC. */
  readonly ms: number;
  readonly hasOffset: boolean;
}

/**
 * Parses a date with a time in ISO 8601, in the extended or the basic format (interface.md, "Token
 * request body"); null for anything else. Calendar, week and ordinal dates are accepted. A date
 * without a time is not: it names no time within 10 minutes.
 */
export function parseTimestamp(text: string): Timestamp | null {
  const match = PARTS.exec(text);
  if (match === null) return null;
  const [, dateText = '', timeText = '', fraction, offset] = match;
  const dayMs = parseDate(dateText);
  const timeMs = parseTime(timeText, fraction, dateText.includes('-'));
  const offsetMs = parseOffset(offset);
  if (dayMs === null || timeMs === null || offsetMs === null) return null;
  return { ms: dayMs + timeMs - offsetMs, hasOffset: offset !== undefined };
}

/** Midnight of a date in UTC, in milliseconds since the epoch; null for a date that does not exist. */
function parseDate(text: string): number | null {
  const match = DATE.exec(text);
  if (match === null) return null;
  const [, year = 0, , month = 0, day = 0, week = 0, weekday = 0, ordinal = 0] = match.map(Number);
  if (match[3] !== undefined) {
    const ms = utcDayMs(year, month, day);
    return new Date(ms).getUTCMonth() === month - 1 ? ms : null;
  }
  if (match[7] !== undefined) {
    const ms = utcDayMs(year, 1, ordinal);
    return new Date(ms).getUTCFullYear() === year ? ms : null;
  }
  // The first week contains 4 January, and a week belongs to the year of its Thursday.
  const fourth = utcDayMs(year, 1, 4);
  const firstMonday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
  const monday = firstMonday + (week - 1) * 7 * DAY_MS;
  const isOfYear = new Date(monday + 3 * DAY_MS).getUTCFullYear() === year;
  return isOfYear ? monday + (weekday - 1) * DAY_MS : null;
}

/** Milliseconds since midnight; a fraction belongs to the last part that is written. */
function parseTime(text: string, fraction: string | undefined, isExtended: boolean): number | null {
  const match = (isExtended ? EXTENDED_TIME : BASIC_TIME).exec(text);
  if (match === null) return null;
  const [hour = 0, minute = 0, second = 0] = match.slice(1).map((part) => Number(part ?? 0));
  const lastMs = match[3] !== undefined ? 1000 : match[2] !== undefined ? MINUTE_MS : HOUR_MS;
  const fractionMs = Math.floor(Number(`0.${fraction ?? 0}`) * lastMs);
  const wholeMs = hour * HOUR_MS + minute * MINUTE_MS + second * 1000;
  // A leap second is 60, and 24:00:00 the end of a day.
  const isTime = hour < 24 && minute < 60 && second <= 60;
  const isEndOfDay = hour === 24 && wholeMs + fractionMs === DAY_MS;
  return isTime || isEndOfDay ? wholeMs + fractionMs : null;
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
