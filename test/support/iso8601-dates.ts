const DAY_MS = 86_400_000;

/** A date in UTC in the three notations of ISO 8601, found by counting days. */
export function writeDate(
  date: Date,
  isExtended: boolean,
): { calendar: string; ordinal: string; week: string } {
  const dash = isExtended ? '-' : '';
  const calendar = date.toISOString().slice(0, 10).replaceAll('-', dash);
  const year = date.getUTCFullYear();
  const ordinal = `${four(year)}${dash}${String(dayOfYear(date)).padStart(3, '0')}`;
  // The week belongs to the year of its Thursday.
  const weekday = date.getUTCDay() === 0 ? 7 : date.getUTCDay();
  const thursday = new Date(date.getTime() + (4 - weekday) * DAY_MS);
  const week = Math.ceil(dayOfYear(thursday) / 7);
  const weekYear = four(thursday.getUTCFullYear());
  return {
    calendar,
    ordinal,
    week: `${weekYear}${dash}W${String(week).padStart(2, '0')}${dash}${weekday}`,
  };
}

const four = (year: number): string => String(year).padStart(4, '0');

function dayOfYear(date: Date): number {
  let days = 1;
  for (let month = 0; month < date.getUTCMonth(); month++) {
    const isLeap =
      new Date(new Date(0).setUTCFullYear(date.getUTCFullYear(), 1, 29)).getUTCDate() === 29;
    days += [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30][month] ?? 0;
  }
  return days + date.getUTCDate() - 1;
}
