import { type Check, type CheckContext, partsOf } from '../../contract/check.ts';
import { accepts, Inconclusive } from '../../contract/judge.ts';
import type { Answer, TokenAttempt } from '../../contract/messages.ts';
import { acceptances, partOf, refusals, repeated, type Variant } from '../../contract/templates.ts';
import { MIDNIGHT_ZONES, nextMidnight } from '../midnight.ts';
import { utcOf } from './current-time.ts';
import { requiredField } from './fields.ts';
import { formsOnEachGrant } from './time-forms.ts';

const withTime = (words: string, timeOf: (ctx: CheckContext) => unknown): Variant<TokenAttempt> => [
  words,
  (ctx) => ({ fields: ctx.base({ _: timeOf(ctx) }) }),
];

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const withAge = (age: string, seconds: number): Variant<TokenAttempt> =>
  withTime(`a _ that is ${age} old`, (ctx) => ctx.timestamp(seconds));

/** Parts of a time that many seconds ago, in UTC and zero-padded. */
function partsAt(ctx: CheckContext, secondsAgo = 0): Record<'date' | 'time' | Part, string> {
  const [date = '', time = ''] = utcOf(ctx, secondsAgo).slice(0, 19).split('T');
  const [year = '', month = '', day = ''] = date.split('-');
  const [hour = '', minute = '', second = ''] = time.split(':');
  return { date, time, year, month, day, hour, minute, second };
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';

const notIso = (words: string, timeOf: (ctx: CheckContext) => unknown): Variant<TokenAttempt> =>
  withTime(`${words} for _`, timeOf);

/** Text of the current time that a lenient reader understands, made of its parts. */
const inParts = (
  words: string,
  write: (parts: ReturnType<typeof partsAt>) => string,
): Variant<TokenAttempt> => notIso(`the current time as ${words}`, (ctx) => write(partsAt(ctx)));

/** Times with one part just beyond its range, which a reader that looks at the digits only may take. */
const PARTS_BEYOND: readonly (readonly [words: string, write: (now: Now) => string])[] = [
  ['the month 13', ({ date, day, hour }) => `${date.slice(0, 4)}-13-${day}T${hour}:00:00Z`],
  ['the day 32', ({ date, hour }) => `${date}-32T${hour}:00:00Z`],
  ['the hour 25', ({ date, day }) => `${date}-${day}T25:00:00Z`],
  ['the minute 60', ({ date, day, hour }) => `${date}-${day}T${hour}:60:00Z`],
];

type Now = Readonly<Record<'date' | 'day' | 'hour', string>>;

/**
 * Values that are no ISO 8601; which of its forms a service takes is left open, so each of those may
 * be accepted. A time with a part beyond its range is the current time for a reader that carries it
 * over.
 */
const NOT_ISO: readonly Variant<TokenAttempt>[] = [
  notIso('the current time in Unix seconds', (ctx) => String(secondsOf(ctx))),
  notIso('the current time as an HTTP date', (ctx) => httpDate(ctx)),
  inParts('YYYY/MM/DD hh:mm:ss', ({ date, time }) => `${date.replaceAll('-', '/')} ${time}`),
  notIso('the text "now"', () => 'now'),
  notIso('the current time as ISO 8601 with a letter after it', (ctx) => `${ctx.timestamp()}x`),
  notIso('the current time as ISO 8601 with a letter before it', (ctx) => `x${ctx.timestamp()}`),
  notIso('the current time in Unix milliseconds', (ctx) => `${secondsOf(ctx)}000`),
  notIso('the current time as a number of seconds', (ctx) => secondsOf(ctx)),
  notIso('the current time as a number of milliseconds', (ctx) => secondsOf(ctx) * 1000),
  notIso('the current time in words', (ctx) => {
    const [, day, month, year, time] = httpDate(ctx).split(' ');
    return `${month} ${day}, ${year} ${time} UTC`;
  }),
  inParts('DD.MM.YYYY hh:mm:ss', ({ day, month, year, time }) => `${day}.${month}.${year} ${time}`),
  inParts('MM/DD/YYYY hh:mm:ss', ({ day, month, year, time }) => `${month}/${day}/${year} ${time}`),
  inParts(
    'YYYY年MM月DD日 hh:mm:ss',
    ({ day, month, year, time }) => `${year}年${month}月${day}日 ${time}`,
  ),
  notIso('the current time with a month beyond 12', (ctx) => {
    const { year, month, day, time } = partsAt(ctx);
    return `${Number(year) - 1}-${Number(month) + 12}-${day}T${time}Z`;
  }),
  notIso('the current time with a day beyond 31', (ctx) => {
    const now = new Date(utcOf(ctx));
    // The first day of the month before last: the day is then 59 or more.
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1));
    const days = Math.floor((now.getTime() - from.getTime()) / (DAY * 1000)) + 1;
    return `${from.toISOString().slice(0, 8)}${days}T${partsAt(ctx).time}Z`;
  }),
  notIso('the current time with an hour beyond 24', (ctx) => {
    const { hour, minute, second } = partsAt(ctx);
    const { date } = partsAt(ctx, 2 * DAY);
    return `${date}T${Number(hour) + 48}:${minute}:${second}Z`;
  }),
  notIso('the current hour with a minute beyond 59', (ctx) => {
    const { date, hour, second, minute } = partsAt(ctx);
    if (Number(minute) > 48) return `${date}T${hour}:60:${second}Z`;
    const before = partsAt(ctx, HOUR);
    const beyond = Math.min(Number(minute) + 60, 99);
    return `${before.date}T${before.hour}:${beyond}:${second}Z`;
  }),
  ...PARTS_BEYOND.map(([words, write]) =>
    notIso(`a time with ${words}`, (ctx) => {
      const { year, month, day, hour } = partsAt(ctx);
      return write({ date: `${year}-${month}`, day, hour });
    }),
  ),
  notIso('the current time in full-width digits', (ctx) =>
    ctx.timestamp().replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  ),
  notIso('the number 0', () => 0),
  notIso('the current time in Unix seconds after an @', (ctx) => `@${secondsOf(ctx)}`),
  notIso('the text "-1 minute"', () => '-1 minute'),
  notIso('the current time as /Date(…)/', (ctx) => `/Date(${secondsOf(ctx)}000)/`),
  notIso('the current time as a text of Java', (ctx) => {
    const [weekday = '', day, month, year, time] = httpDate(ctx).split(' ');
    return `${weekday.slice(0, 3)} ${month} ${day} ${time} UTC ${year}`;
  }),
  inParts('YYYY-MM-DD hh:mm:ss UTC', ({ date, time }) => `${date} ${time} UTC`),
  ...['1', 'true'].map(
    (signed): Variant<TokenAttempt> => [
      `the boolean true, signed as the text ${signed}, for _`,
      (ctx) => {
        const fields = ctx.base({ _: true });
        return { fields, signed: { ...fields, _: signed } };
      },
    ],
  ),
];

function secondsOf(ctx: CheckContext): number {
  return Math.floor(ctx.now() / 1000);
}

function httpDate(ctx: CheckContext): string {
  return new Date(ctx.now()).toUTCString();
}

/** End of a time, with its fraction if the target wants one. */
const UTC = /(?:\.\d+)?(Z|[+]0[08]:00|)$/;

/** A time whose offset, read wrongly, makes it look current. */
const misreadOffset = (
  age: string,
  how: string,
  secondsAgo: number,
  offset: string,
): Variant<TokenAttempt> =>
  withTime(`a _ that is ${age} old, which looks current if ${how}`, (ctx) =>
    utcOf(ctx, secondsAgo).replace(UTC, offset),
  );

/**
 * Ages from 10 minutes on. Some look fresh to a reader that compares a part of the time only, or whose
 * numbers overflow.
 */
const EXPIRED: readonly Variant<TokenAttempt>[] = [
  withAge('10 min 10 s', 10 * MINUTE + 10),
  withAge('1 h 5 min', HOUR + 5 * MINUTE),
  withAge('24 h 5 min', DAY + 5 * MINUTE),
  withAge('365 days and 5 min', 365 * DAY + 5 * MINUTE),
  misreadOffset('8 h', 'its offset +08:00 is ignored', 0, '+08:00'),
  withTime('a _ of the year 1970', () => '1970-01-01T00:00:00Z'),
  withAge('30 days', 30 * DAY),
  withAge('12 h 5 min', 12 * HOUR + 5 * MINUTE),
  misreadOffset('16 h', 'its offset +08:00 is added', 8 * HOUR, '+08:00'),
  misreadOffset('30 min', 'the minutes of its offset +05:30 are ignored', -5 * HOUR, '+05:30'),
  withTime('a _ that is 10 min 10 s old, with a fraction of a second', (ctx) =>
    ctx.timestamp(10 * MINUTE + 10).replace(UTC, '.000$1'),
  ),
  // 2^32 milliseconds, and 5 minutes.
  withAge('49 days 17 h 7 min 47 s', 49 * DAY + 17 * HOUR + 7 * MINUTE + 47),
  withTime('a _ that is 20 min old, in the basic format', (ctx) =>
    ctx.timestamp(20 * MINUTE).replaceAll(/[-:]/g, ''),
  ),
  withTime('a _ of the year 1', () => '0001-01-01T00:00:00Z'),
  ...repeated(withAge('10 min 10 s', 10 * MINUTE + 10), 2),
];

const MAX_CLOCK_SKEW_MS = 3_000;

/**
 * Compares the target's Date header with this machine's clock, where the target's clock cannot be
 * read by a control API.
 *
 * @throws Inconclusive if they differ too much for a limit that is probed within 10 s
 */
function requireSameClock(ctx: CheckContext, answer: Answer): void {
  if (ctx.facts.hasControl) return;
  const date = Date.parse(answer.headers['date'] ?? '');
  if (Number.isNaN(date))
    throw new Inconclusive(
      'the target sends no Date header to compare its clock with, for a limit that is probed within 10 s',
    );
  const skewMs = date - answer.sentAtMs;
  if (Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS) return;
  throw new Inconclusive(
    `the target's Date header is ${Math.round(skewMs / 1000)} s off this machine's clock, too far for a limit that is probed within 10 s`,
  );
}

const freshOnEach = acceptances({
  rule: 'token/timestamp-fresh',
  baseRequest: 'platform',
  requireProof: requireSameClock,
  variants: [
    withAge('9 min 50 s', 9 * MINUTE + 50),
    withAge('5 min', 5 * MINUTE),
    withAge('1 min 30 s', MINUTE + 30),
  ],
});

/** A time of the day before: a service may compare the times of day only. */
const afterMidnight = (zone: number): Check =>
  partOf({
    rule: freshOnEach.id,
    name: `midnight-${zone}`,
    circumstance: `soon after midnight in UTC+${zone}`,
    effect: 'waits',
    run: async (ctx) => {
      await ctx.reach(nextMidnight(ctx.now(), zone) + 2 * MINUTE * 1000);
      const opening = await ctx.sendPlatform('baseline: a request with the current time');
      const right = `a _ that is 5 min old, soon after midnight in UTC+${zone}`;
      const fields = ctx.platform({ _: ctx.timestamp(5 * MINUTE) });
      const answer = await ctx.token({
        purpose: `positive: ${right}`,
        expects: 'accepted',
        fields,
      });
      // A service that allows fewer tokens a day refuses the current time then, too.
      const closing =
        answer.outcome === 'refused'
          ? await ctx.sendPlatform('baseline: the current time again')
          : null;
      return accepts(right, answer, { opening, closing });
    },
  });

const fresh: Check = {
  ...freshOnEach,
  parts: (facts) => [
    ...partsOf(freshOnEach, facts),
    ...(facts.metered ? [] : [...MIDNIGHT_ZONES.map(afterMidnight), formsOnEachGrant]),
  ],
};

/** Checks of the field `_` (interface.md, "Token request body"). */
export const timestampChecks: readonly Check[] = [
  // In the test environment the value is not checked: null and the empty text may be accepted.
  requiredField({
    rule: 'token/timestamp-required',
    field: '_',
    alsoOn: ['refresh'],
    wrong: 'now',
    mayBeEmpty: ({ environment }) => environment === 'test',
  }),
  refusals({
    rule: 'token/timestamp-iso8601',
    baseRequest: 'platform',
    alsoOn: ['refresh'],
    refusedAs: 'field-invalid',
    needs: { environment: 'production' },
    variants: NOT_ISO,
  }),
  fresh,
  refusals({
    rule: 'token/timestamp-expired',
    baseRequest: 'platform',
    alsoOn: ['refresh'],
    refusedAs: 'timestamp-expired',
    needs: { environment: 'production' },
    requireProof: requireSameClock,
    variants: EXPIRED,
  }),
  acceptances({
    rule: 'token/timestamp-unchecked-in-test',
    baseRequest: 'platform',
    needs: { environment: 'test' },
    variants: [
      withTime('a _ that is a day old, in the test environment', (ctx) => ctx.timestamp(DAY)),
      withTime('a _ that is an hour old, in the test environment', (ctx) => ctx.timestamp(HOUR)),
      withTime('a _ that is a year old, in the test environment', (ctx) =>
        ctx.timestamp(365 * DAY),
      ),
      withTime('a _ of the year 1970, in the test environment', (ctx) =>
        ctx.timestamp(secondsOf(ctx)),
      ),
    ],
  }),
];
