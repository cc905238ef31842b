import { LIMITS } from '../../interface/index.ts';
import { Refusal } from '../messages.ts';
import type { Settings } from '../settings.ts';

const VALIDITY_MS = LIMITS.timestampValiditySeconds * 1000;
/** Difference between two clocks that is tolerated where a timestamp in the future is refused. */
const CLOCK_SKEW_MS = 30_000;

/** Limits of the field `_`. */
export interface FreshnessLimits {
  /** False in the test environment. */
  readonly isChecked: boolean;
  readonly requiresOffset: boolean;
  readonly maxAgeMs: number;
  readonly maxFutureMs: number;
}

/** The limits of the interface, with the gaps `timestamp-without-offset` and `timestamp-future`. */
export function freshnessLimits({ behaviour, environment }: Settings): FreshnessLimits {
  return {
    isChecked: environment === 'production',
    requiresOffset: behaviour['timestamp-without-offset'] === 'refused',
    maxAgeMs: VALIDITY_MS,
    maxFutureMs: {
      accepted: Number.POSITIVE_INFINITY,
      'within-validity': VALIDITY_MS,
      refused: CLOCK_SKEW_MS,
    }[behaviour['timestamp-future']],
  };
}

/**
 * Judges the field `_` (interface.md, "Token request body" and "Limits"): ISO 8601, and at most 10
 * minutes old.
 *
 * @throws Refusal `field-invalid` or `timestamp-expired`
 */
export function refuseStale(timestamp: unknown, limits: FreshnessLimits, nowMs: number): void {
  if (!limits.isChecked) return;
  const parsed = typeof timestamp === 'string' ? parseTimestamp(timestamp) : null;
  if (parsed === null) {
    throw new Refusal('field-invalid', 'The field _ must be a date and time in ISO 8601.', {
      field: '_',
      rule: 'token/timestamp-iso8601',
    });
  }
  if (!parsed.hasOffset && limits.requiresOffset) {
    const message = 'The field _ must name its offset, such as Z or +08:00.';
    throw new Refusal('field-invalid', message, { field: '_' });
  }
  const ageMs = nowMs - parsed.ms;
  if (ageMs > limits.maxAgeMs) {
    throw new Refusal('timestamp-expired', 'The field _ is more than 10 minutes old.', {
      field: '_',
      rule: 'token/timestamp-expired',
    });
  }
  if (-ageMs > limits.maxFutureMs) {
    throw new Refusal('timestamp-expired', 'The field _ is in the future.', { field: '_' });
  }
}

/** Date, time and offset. */
const PARTS = /^([0-9W-]+)T([0-9:]+)(?:[.,]([0-9]+))?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?$/;

const CALENDAR = /^(\d{4})(-?)(\d{2})\2(\d{2})$/;
const WEEK = /^(\d{4})(-?)W(\d{2})\2(\d)$/;
const ORDINAL = /^(\d{4})(-?)(\d{3})$/;
const EXTENDED_TIME = /^(\d{2})(?::(\d{2})(?::(\d{2}))?)?$/;
const BASIC_TIME = /^(\d{2})(?:(\d{2})(\d{2})?)?$/;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A point in time as it is written in the field `_`. */
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
  const day = parseDate(dateText);
  if (day === null) return null;
  const timeMs = parseTime(timeText, fraction, day.isExtended);
  const offsetMs = parseOffset(offset);
  if (timeMs === null || offsetMs === null) return null;
  return { ms: day.ms + timeMs - offsetMs, hasOffset: offset !== undefined };
}

/** A day by its midnight in UTC; `isExtended` for one written with dashes. */
interface Day {
  readonly ms: number;
  readonly isExtended: boolean;
}

function parseDate(text: string): Day | null {
  const calendar = CALENDAR.exec(text);
  if (calendar !== null) {
    const [year, month, day] = [1, 3, 4].map((at) => Number(calendar[at]));
    if (!isDate(year ?? 0, month ?? 0, day ?? 0)) return null;
    return { ms: utcDayMs(year ?? 0, month ?? 0, day ?? 0), isExtended: calendar[2] === '-' };
  }
  const week = WEEK.exec(text);
  if (week !== null) {
    const [year, nth, weekday] = [1, 3, 4].map((at) => Number(week[at]));
    const ms = weekDayMs(year ?? 0, nth ?? 0, weekday ?? 0);
    return ms === null ? null : { ms, isExtended: week[2] === '-' };
  }
  const ordinal = ORDINAL.exec(text);
  if (ordinal === null) return null;
  const [year, nth] = [Number(ordinal[1]), Number(ordinal[3])];
  if (nth < 1 || nth > (isLeap(year) ? 366 : 365)) return null;
  return { ms: utcDayMs(year, 1, nth), isExtended: ordinal[2] === '-' };
}

/** A year has 53 weeks where it starts on a Thursday, or is a leap year that starts on a Wednesday. */
function weekDayMs(year: number, week: number, weekday: number): number | null {
  // 0 is Monday, as everywhere in ISO 8601.
  const startsOn = (new Date(utcDayMs(year, 1, 1)).getUTCDay() + 6) % 7;
  const weeks = startsOn === 3 || (startsOn === 2 && isLeap(year)) ? 53 : 52;
  if (week < 1 || week > weeks || weekday < 1 || weekday > 7) return null;
  const toFirstMonday = startsOn <= 3 ? -startsOn : 7 - startsOn;
  return utcDayMs(year, 1, 1) + (toFirstMonday + (week - 1) * 7 + weekday - 1) * DAY_MS;
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const days = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (days[month - 1] ?? 0);
}

/** Milliseconds since midnight; a fraction belongs to the last part that is written. */
function parseTime(text: string, fraction: string | undefined, isExtended: boolean): number | null {
  const match = (isExtended ? EXTENDED_TIME : BASIC_TIME).exec(text);
  if (match === null) return null;
  const [, hour, minute, second] = match;
  const lastMs = second !== undefined ? 1000 : minute !== undefined ? MINUTE_MS : HOUR_MS;
  const fractionMs = fraction === undefined ? 0 : Math.floor(Number(`0.${fraction}`) * lastMs);
  const wholeMs =
    Number(hour) * HOUR_MS + Number(minute ?? 0) * MINUTE_MS + Number(second ?? 0) * 1000;
  const isTime = Number(hour) < 24 && Number(minute ?? 0) < 60 && Number(second ?? 0) <= 60;
  // A leap second is 60, and 24:00:00 the end of a day.
  const isEndOfDay = wholeMs === DAY_MS && hour === '24' && fractionMs === 0;
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
