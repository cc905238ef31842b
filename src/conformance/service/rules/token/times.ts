import { type Check, type CheckContext } from '../../contract/check.ts';
import { accepts, Inconclusive } from '../../contract/judge.ts';
import type { Answer, TokenAttempt } from '../../contract/messages.ts';
import {
  acceptances,
  partOf,
  refusals,
  repeated,
  type Variant,
  withParts,
} from '../../contract/templates.ts';
import type { TimeForm } from '../../contract/time-forms.ts';
import { MIDNIGHT_ZONES, nextMidnight } from '../days.ts';
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

const notIso = (words: string, timeOf: (ctx: CheckContext) => unknown): Variant<TokenAttempt> =>
  withTime(`${words} for _`, timeOf);

/** The current time in another form, which a lenient reader understands. */
const current = (form: TimeForm, words = `the current time ${form}`): Variant<TokenAttempt> =>
  notIso(words, (ctx) => ctx.timestamp(0, form));

/**
 * Values that are no ISO 8601; which of its forms a service takes is left open, so each of those may
 * be accepted. A time with a part beyond its range is the current time for a reader that carries it
 * over, or that looks at the digits only.
 */
const NOT_ISO: readonly Variant<TokenAttempt>[] = [
  current('in Unix seconds'),
  current('as an HTTP date'),
  current('as YYYY/MM/DD hh:mm:ss'),
  notIso('the text "now"', () => 'now'),
  current('as ISO 8601 with a letter after it'),
  current('as ISO 8601 with a letter before it'),
  current('in Unix milliseconds'),
  notIso('the current time as a number of seconds', (ctx) =>
    Number(ctx.timestamp(0, 'in Unix seconds')),
  ),
  notIso('the current time as a number of milliseconds', (ctx) =>
    Number(ctx.timestamp(0, 'in Unix milliseconds')),
  ),
  current('in words'),
  current('as DD.MM.YYYY hh:mm:ss'),
  current('as MM/DD/YYYY hh:mm:ss'),
  current('as YYYY年MM月DD日 hh:mm:ss'),
  current('with a month beyond 12'),
  current('with a day beyond 31'),
  current('with an hour beyond 24'),
  current('with a minute beyond 59', 'the current hour with a minute beyond 59'),
  current('with the month 13', 'a time with the month 13'),
  current('with the day 32', 'a time with the day 32'),
  current('with the hour 25', 'a time with the hour 25'),
  current('with the minute 60', 'a time with the minute 60'),
  current('in full-width digits'),
  notIso('the number 0', () => 0),
  current('in Unix seconds after an @'),
  notIso('the text "-1 minute"', () => '-1 minute'),
  current('as /Date(…)/'),
  current('as a text of Java'),
  current('as YYYY-MM-DD hh:mm:ss UTC'),
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

/** A time whose offset, read wrongly, makes it look current. */
const misreadOffset = (
  age: string,
  how: string,
  secondsAgo: number,
  form: TimeForm,
): Variant<TokenAttempt> =>
  withTime(`a _ that is ${age} old, which looks current if ${how}`, (ctx) =>
    ctx.timestamp(secondsAgo, form),
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
  misreadOffset('8 h', 'its offset +08:00 is ignored', 0, 'in UTC, with +08:00'),
  withTime('a _ of the year 1970', () => '1970-01-01T00:00:00Z'),
  withAge('30 days', 30 * DAY),
  withAge('12 h 5 min', 12 * HOUR + 5 * MINUTE),
  misreadOffset('16 h', 'its offset +08:00 is added', 8 * HOUR, 'in UTC, with +08:00'),
  misreadOffset(
    '30 min',
    'the minutes of its offset +05:30 are ignored',
    -5 * HOUR,
    'in UTC, with +05:30',
  ),
  withTime('a _ that is 10 min 10 s old, with a fraction of a second', (ctx) =>
    ctx.timestamp(10 * MINUTE + 10, 'with the fraction .000'),
  ),
  // 2^32 milliseconds, and 5 minutes.
  withAge('49 days 17 h 7 min 47 s', 49 * DAY + 17 * HOUR + 7 * MINUTE + 47),
  withTime('a _ that is 20 min old, in the basic format', (ctx) =>
    ctx.timestamp(20 * MINUTE, 'in the basic format'),
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

const fresh = withParts(freshOnEach, [...MIDNIGHT_ZONES.map(afterMidnight), formsOnEachGrant]);

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
        ctx.timestamp(Math.floor(ctx.now() / 1000)),
      ),
    ],
  }),
];
