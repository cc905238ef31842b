import { parseIso8601 } from '../iso8601.ts';

/** Greatest distance between two readings of the clock: in units of the last digit, and in seconds. */
const STEPS = 3000;
const SECONDS = 3;
/** The same, in seconds, of a time without a fraction. */
const WHOLE_SECONDS = 600;

const PARTS =
  /^(?<date>\d{4}(?<dash>-?)(?<month>\d{2})\k<dash>(?<day>\d{2})|[0-9W-]+)T(?<hour>\d{2})(?<colon>:?)(?<minute>\d{2})\k<colon>(?<second>\d{2})(?:(?<mark>[.,])(?<fraction>\d{1,9}))?(?<offset>Z|[+-]\d{2}(?::?\d{2})?)?$/;

const DAY_S = 86_400;

interface TimeParts {
  readonly groups: Readonly<Record<string, string | undefined>>;
  readonly secondOfDay: number;
}

/**
 * Times just before and after a sent `_` in the same notation, then the same time in other notations.
 * A client that reads the clock twice, to sign and to send, has signed one of them.
 */
export function otherTimes(sent: unknown): unknown[] {
  const groups = typeof sent === 'string' ? PARTS.exec(sent)?.groups : undefined;
  if (!groups) return [];
  const { hour, minute, second } = groups;
  const secondOfDay = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const time: TimeParts = { groups, secondOfDay };
  const times = [...neighbours(time), ...finer(time), ...likelyTimes(sent)];
  return [...new Set(times)].filter((one) => one !== null && one !== sent);
}

function* neighbours(time: TimeParts): Generator<string | null> {
  const { fraction = '' } = time.groups;
  const scale = 10 ** fraction.length;
  if (fraction !== '') {
    for (let step = 1; step <= STEPS; step++) {
      for (const value of [Number(fraction) - step, Number(fraction) + step]) {
        const seconds = Math.floor(value / scale);
        const rest = String(value - seconds * scale).padStart(fraction.length, '0');
        yield moved(time, seconds, rest);
      }
    }
  }
  const last = fraction === '' ? WHOLE_SECONDS : SECONDS;
  for (let step = 1; step <= last; step++) {
    yield moved(time, -step, fraction);
    yield moved(time, step, fraction);
  }
}

/** Times with three more digits of the second than the sent one: of a clock that was cut or rounded. */
function* finer(time: TimeParts): Generator<string | null> {
  const { fraction = '' } = time.groups;
  if (fraction.length !== 0 && fraction.length !== 3) return;
  for (let step = 0; step < 1000; step++) {
    const digits = String(step).padStart(3, '0');
    yield moved(time, 0, fraction + digits);
    if (fraction === '' && step >= 500) yield moved(time, -1, digits);
  }
}

/** The time some seconds later; null if that is another day in a week or ordinal date. */
function moved(
  { groups, secondOfDay }: TimeParts,
  seconds: number,
  fraction: string,
): string | null {
  const { colon = '', mark = '.', offset = '' } = groups;
  const total = secondOfDay + seconds;
  const days = Math.floor(total / DAY_S);
  const date = dateAfter(groups, days);
  if (date === null) return null;
  const rest = total - days * DAY_S;
  const parts = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${date}T${parts.join(colon)}${fraction === '' ? '' : mark + fraction}${offset}`;
}

function dateAfter(groups: TimeParts['groups'], days: number): string | null {
  const { date = '', dash = '-', month, day } = groups;
  if (days === 0) return date;
  if (month === undefined || day === undefined) return null;
  const ms = Date.UTC(Number(date.slice(0, 4)), Number(month) - 1, Number(day) + days);
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', dash);
}

/** The same time in the notations that clients often sign in place of the sent one. */
export function likelyTimes(sent: unknown): string[] {
  const ms = typeof sent === 'string' ? parseIso8601(sent)?.ms : undefined;
  if (typeof sent !== 'string' || typeof ms !== 'number') return [];
  const utc = new Date(ms).toISOString();
  const times = [
    `${utc.slice(0, 19)}Z`,
    utc,
    ...[Math.floor(ms / 1000), ms].map(String),
    ...['', 'Z', '+00:00'].map((zone) => sent.replace(/Z$|[+-]\d\d:?\d\d$/, zone)),
    sent.replace(/(?<=:\d\d)[.,]\d+/, ''),
    sent.replace(/(?<=T\d\d:\d\d:\d\d)(?![.,])/, '.000'),
    sent.replace('T', ' '),
  ];
  return times.filter((one) => one !== sent);
}
