const DATE =
  '(?<year>\\d{4})(?<dash>-?)(?:(?<month>\\d{2})\\k<dash>(?<day>\\d{2})|(?<ordinal>\\d{3})|W(?<week>\\d{2})\\k<dash>(?<weekday>\\d))';
const FRACTION = '(?:[.,](?<fraction>\\d+))?';
const TIME = `(?<hour>\\d{2})(?:(?<colon>:?)(?<minute>\\d{2})(?:\\k<colon>(?<second>\\d{2}))?)?${FRACTION}`;
const OFFSET = '(?<offset>Z|[+-]\\d{2}(?::?\\d{2})?)?';
const DATE_TIME = new RegExp(`^${DATE}T${TIME}${OFFSET}$`);

const DAY_MS = 86_400_000;

/** A point in time. */
export interface Timestamp {
  /** Milliseconds since the epoch; a time without an offset is taken as UTC. */
  readonly ms: number;
  readonly hasOffset: boolean;
}

/**
 * Parses a date with a time of day in ISO 8601, extended or basic format: a calendar, week or ordinal
 * date; the last part of the time may have a fraction. Null for anything else.
 *
 * @see interface.md, "Token request body"
 */
export function parseIso8601(text: string): Timestamp | null {
  const groups = DATE_TIME.exec(text)?.groups;
  if (!groups) return null;
  // Date and time must use the same format; a time without minutes fits both.
  if (groups['minute'] !== undefined && (groups['dash'] === '') !== (groups['colon'] === '')) {
    return null;
  }
  const dayMs = readDate(groups);
  const timeMs = readTime(groups);
  const offsetMs = readOffset(groups['offset']);
  if (dayMs === null || timeMs === null || offsetMs === null) return null;
  return { ms: dayMs + timeMs - offsetMs, hasOffset: groups['offset'] !== undefined };
}

type Groups = Readonly<Record<string, string | undefined>>;

const part = (groups: Groups, name: string): number => Number(groups[name] ?? 0);

/** Midnight UTC; null for a date that does not exist. */
function readDate(groups: Groups): number | null {
  const year = part(groups, 'year');
  if (groups['ordinal'] !== undefined) return dayOfYear(year, part(groups, 'ordinal'));
  if (groups['week'] !== undefined) {
    return dayOfWeek(year, part(groups, 'week'), part(groups, 'weekday'));
  }
  const [month, day] = [part(groups, 'month'), part(groups, 'day')];
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  // A day that the month lacks is one of another month.
  return midnight.getUTCMonth() === month - 1 ? midnight.getTime() : null;
}

const firstOf = (year: number): number => new Date(0).setUTCFullYear(year, 0, 1);

function dayOfYear(year: number, day: number): number | null {
  const ms = firstOf(year) + (day - 1) * DAY_MS;
  return day >= 1 && ms < firstOf(year + 1) ? ms : null;
}

/** Week 1 contains the first Thursday of the year; weekday 1 is Monday. */
function dayOfWeek(year: number, week: number, weekday: number): number | null {
  if (week < 1 || weekday < 1 || weekday > 7) return null;
  const mondayOf = (of: number): number => {
    const fourth = firstOf(of) + 3 * DAY_MS;
    return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
  };
  const ms = mondayOf(year) + ((week - 1) * 7 + weekday - 1) * DAY_MS;
  return ms < mondayOf(year + 1) ? ms : null;
}

/** Milliseconds of the day; null if out of range. Second 60 and hour 24 (as 24:00:00) are allowed. */
function readTime(groups: Groups): number | null {
  const time = ['hour', 'minute', 'second'].map((name) => part(groups, name));
  const [hour = 0, minute = 0, second = 0] = time;
  const fraction = Number(`0.${groups['fraction'] ?? '0'}`);
  const isEndOfDay = hour === 24 && minute === 0 && second === 0 && fraction === 0;
  if ((hour > 23 && !isEndOfDay) || minute > 59 || second > 60) return null;
  const lastMs =
    groups['second'] !== undefined ? 1000 : groups['minute'] !== undefined ? 60_000 : 3_600_000;
  return ((hour * 60 + minute) * 60 + second) * 1000 + fraction * lastMs;
}

function readOffset(text: string | undefined): number | null {
  if (text === undefined) return 0;
  // Z has no digits: zero.
  const digits = text.slice(1).replace(':', '').padEnd(4, '0');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutes > 59) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
