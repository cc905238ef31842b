const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Time in UTC to the second, and its parts, each as the digits of ISO 8601. */
function partsOf(atMs: number) {
  const iso = new Date(atMs).toISOString();
  const [date = '', time = ''] = iso.slice(0, 19).split('T');
  const [year = '', month = '', day = ''] = date.split('-');
  const [hour = '', minute = '', second = ''] = time.split(':');
  const fraction = iso.slice(19, 23);
  return { date, time, fraction, year, month, day, hour, minute, second };
}

type Parts = ReturnType<typeof partsOf>;
type Write = (atMs: number) => string;

const inParts =
  (write: (parts: Parts) => string): Write =>
  (atMs) =>
    write(partsOf(atMs));

/** ISO 8601 in the local time of an offset. */
const withOffset = (offset: string, minutes: number): Write => {
  const local = inParts(({ date, time }) => `${date}T${time}${offset}`);
  return (atMs) => local(atMs + minutes * MINUTE_MS);
};

const unixSeconds = (atMs: number): number => Math.floor(atMs / 1000);
const httpDate = (atMs: number): string[] => new Date(atMs).toUTCString().split(' ');

/**
 * Spellings of a time by name, each rounded down, so that none lies ahead. The name completes "the
 * current time …".
 */
export const TIME_FORMS = {
  'with Z': withOffset('Z', 0),
  'with a fraction and with Z': inParts(
    ({ date, time, fraction }) => `${date}T${time}${fraction}Z`,
  ),
  'with +00:00': withOffset('+00:00', 0),
  'with a fraction and with +00:00': inParts(
    ({ date, time, fraction }) => `${date}T${time}${fraction}+00:00`,
  ),
  'with +08:00': withOffset('+08:00', 480),
  'with -05:00': withOffset('-05:00', -300),
  'with +05:30': withOffset('+05:30', 330),
  'without an offset': withOffset('', 0),
  'in UTC, with +08:00': withOffset('+08:00', 0),
  'in UTC, with +05:30': withOffset('+05:30', 0),
  'with the fraction .000': inParts(({ date, time }) => `${date}T${time}.000Z`),
  'with the fraction .250': inParts(({ date, time }) => `${date}T${time}.250Z`),
  'in the basic format': inParts(({ date, time }) =>
    `${date}T${time}Z`.replaceAll('-', '').replaceAll(':', ''),
  ),
  'in Unix seconds': (atMs) => String(unixSeconds(atMs)),
  'in Unix milliseconds': (atMs) => `${unixSeconds(atMs)}000`,
  'in Unix seconds after an @': (atMs) => `@${unixSeconds(atMs)}`,
  'as /Date(…)/': (atMs) => `/Date(${unixSeconds(atMs)}000)/`,
  'as an HTTP date': (atMs) => httpDate(atMs).join(' '),
  'in words': (atMs) => {
    const [, day, month, year, time] = httpDate(atMs);
    return `${month} ${day}, ${year} ${time} UTC`;
  },
  'as a text of Java': (atMs) => {
    const [weekday = '', day, month, year, time] = httpDate(atMs);
    return `${weekday.slice(0, 3)} ${month} ${day} ${time} UTC ${year}`;
  },
  'as YYYY/MM/DD hh:mm:ss': inParts(
    ({ year, month, day, time }) => `${year}/${month}/${day} ${time}`,
  ),
  'as DD.MM.YYYY hh:mm:ss': inParts(
    ({ year, month, day, time }) => `${day}.${month}.${year} ${time}`,
  ),
  'as MM/DD/YYYY hh:mm:ss': inParts(
    ({ year, month, day, time }) => `${month}/${day}/${year} ${time}`,
  ),
  'as YYYY年MM月DD日 hh:mm:ss': inParts(
    ({ year, month, day, time }) => `${year}年${month}月${day}日 ${time}`,
  ),
  'as YYYY-MM-DD hh:mm:ss UTC': inParts(({ date, time }) => `${date} ${time} UTC`),
  'as ISO 8601 with a letter after it': inParts(({ date, time }) => `${date}T${time}Zx`),
  'as ISO 8601 with a letter before it': inParts(({ date, time }) => `x${date}T${time}Z`),
  'in full-width digits': inParts(({ date, time }) =>
    `${date}T${time}Z`.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  ),
  'with a month beyond 12': inParts(
    ({ year, month, day, time }) => `${Number(year) - 1}-${Number(month) + 12}-${day}T${time}Z`,
  ),
  'with a day beyond 31': (atMs) => {
    const now = new Date(atMs);
    // The first day of the month before last: the day is then 59 or more.
    const fromMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1);
    const days = Math.floor((atMs - fromMs) / DAY_MS) + 1;
    return `${partsOf(fromMs).date.slice(0, 8)}${days}T${partsOf(atMs).time}Z`;
  },
  'with an hour beyond 24': (atMs) => {
    const { hour, minute, second } = partsOf(atMs);
    return `${partsOf(atMs - 2 * DAY_MS).date}T${Number(hour) + 48}:${minute}:${second}Z`;
  },
  'with a minute beyond 59': (atMs) => {
    const { date, hour, minute, second } = partsOf(atMs);
    if (Number(minute) > 48) return `${date}T${hour}:60:${second}Z`;
    const before = partsOf(atMs - 60 * MINUTE_MS);
    return `${before.date}T${before.hour}:${Math.min(Number(minute) + 60, 99)}:${second}Z`;
  },
  'with the month 13': inParts(({ year, day, hour }) => `${year}-13-${day}T${hour}:00:00Z`),
  'with the day 32': inParts(({ year, month, hour }) => `${year}-${month}-32T${hour}:00:00Z`),
  'with the hour 25': inParts(({ date }) => `${date}T25:00:00Z`),
  'with the minute 60': inParts(({ date, hour }) => `${date}T${hour}:60:00Z`),
} as const satisfies Readonly<Record<string, Write>>;

/** Name of a spelling of a time. */
export type TimeForm = keyof typeof TIME_FORMS;
