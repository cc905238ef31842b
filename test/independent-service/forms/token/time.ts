import type { Attempt, Form } from '../../form.ts';
import { DAY_MS, dayOf, type Kind, textOf } from '../../state.ts';
import { forgive, refuse, refuseTime } from '../builders.ts';

/** A time of another form, near the present. */
const near = (timeOf: (text: string) => number): Form =>
  time((text, r) => Math.abs(r.service.now() - timeOf(text)) < NEAR_MS);

const time = (isRead: (text: string, r: Attempt) => boolean): Form =>
  forgive('time-form', (r, text) => isRead(text, r));

const NEAR_MS = 600_000;

const mod = (ms: number): Form => old((ageMs) => ageMs % ms <= NEAR_MS);

const old = (isFresh: (ageMs: number) => boolean): Form =>
  forgive('time-old', (_r, age) => isFresh(Number(age)));

const oldUpTo = (maxMs: number): Form => forgive('time-old', (_r, ageMs) => Number(ageMs) <= maxMs);

const refuseFrom = (maxMs: number): Form => refuseTime((ageMs) => ageMs > maxMs);

/** Times of another day by the clock of a zone. */
const refuseYesterday = (zoneHours: number): Form =>
  refuseTime((ageMs, nowMs) => dayOf(nowMs, zoneHours) !== dayOf(nowMs - ageMs, zoneHours));

/** Current times that are refused for how they are written. */
const refuseForm = (pattern: RegExp, kind?: Kind): Form =>
  refuse(
    'time',
    (r) =>
      r.endpoint === 'token' &&
      r.service.environment !== 'test' &&
      (kind === undefined || r.kind === kind) &&
      pattern.test(textOf(r.fields['_'])),
  );

/** Times that are current, but not with their offset read in another way. */
const refuseMisread = (offsetOf: (sign: 1 | -1, hours: number, minutes: number) => number): Form =>
  refuse('time', (r) => {
    const text = textOf(r.fields['_']);
    const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
    if (sign === undefined || r.service.environment === 'test') return false;
    const offset = offsetOf(sign === '-' ? -1 : 1, Number(hours), Number(minutes));
    const local = Date.parse(`${text.slice(0, 19)}Z`);
    return Math.abs(r.service.now() - (local - offset * 60_000)) > NEAR_MS;
  });

/** Times of other forms, times that are too old, and times that are refused too soon. */
export const TIME: Readonly<Record<string, Form>> = {
  'token/timestamp-required#empty': forgive('time-form', (_r, text) => text === ''),
  'token/timestamp-required#null': forgive('time-form', (_r, text) => text === 'null'),
  'token/timestamp-iso8601#number': forgive('time-form', (r) => typeof r.fields['_'] === 'number'),
  'token/timestamp-iso8601#seconds': near((text) =>
    /^\d{10}$/.test(text) ? Number(text) * 1000 : Number.NaN,
  ),
  'token/timestamp-iso8601#epoch-ms': near((text) =>
    /^\d{13}$/.test(text) ? Number(text) : Number.NaN,
  ),
  'token/timestamp-iso8601#http-date': near((text) =>
    text.endsWith('GMT') ? Date.parse(text) : Number.NaN,
  ),
  'token/timestamp-iso8601#in-words': near((text) =>
    /^[A-Z][a-z]+ \d/.test(text) ? Date.parse(text) : Number.NaN,
  ),
  'token/timestamp-iso8601#slashes': near((text) =>
    /^\d{4}\/\d\d\/\d\d/.test(text) ? Date.parse(`${text} UTC`) : Number.NaN,
  ),
  'token/timestamp-iso8601#day-first': near((text) => {
    const match = /^(\d\d)[./-](\d\d)[./-](\d{4})[ T](.*?)Z?$/.exec(text);
    return match ? Date.parse(`${match[3]}-${match[2]}-${match[1]}T${match[4]}Z`) : Number.NaN;
  }),
  'token/timestamp-iso8601#trailing-text': time((text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z./.test(text),
  ),
  'token/timestamp-iso8601#leading-text': time((text) =>
    /.\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text),
  ),
  'token/timestamp-iso8601#month-13': time((text) => /^\d{4}-(1[3-9]|[2-9]\d|00)-/.test(text)),
  'token/timestamp-iso8601#day-32': time((text) => /^\d{4}-\d\d-(3[2-9]|[4-9]\d|00)T/.test(text)),
  'token/timestamp-iso8601#hour-25': time((text) => /T(2[5-9]|[3-9]\d):/.test(text)),
  'token/timestamp-iso8601#minute-60': time((text) => /T\d\d:[6-9]\d/.test(text)),
  'token/timestamp-iso8601#any-text': time((text) => !/\d/.test(text) && text !== ''),
  'token/timestamp-iso8601#boolean': forgive(
    'time-form',
    (r) => typeof r.fields['_'] === 'boolean',
  ),
  'token/timestamp-iso8601#zero': {
    forgives: (why, r) => ['time-form', 'time-missing'].includes(why) && r.fields['_'] === 0,
  },
  'token/timestamp-iso8601#at-sign': time((text) => /^@\d{10}$/.test(text)),
  'token/timestamp-iso8601#relative': time((text) => /^[+-]\d+ (second|minute)s?$/.test(text)),
  'token/timestamp-iso8601#json-date': time((text) => /^\/Date\(\d{13}\)\/$/.test(text)),
  'token/timestamp-iso8601#java-date': time((text) =>
    /^\w{3} \w{3} \d\d \d\d:\d\d:\d\d \w+ \d{4}$/.test(text),
  ),
  'token/timestamp-iso8601#zone-name': time((text) =>
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/.test(text),
  ),
  'token/timestamp-expired#an-hour': mod(3_600_000),
  'token/timestamp-expired#a-day': mod(DAY_MS),
  'token/timestamp-expired#a-year-and-minutes': old(
    (ageMs) => ageMs > 364 * DAY_MS && ageMs % DAY_MS <= 3_600_000,
  ),
  'token/timestamp-expired#beyond-a-day': old((ageMs) => ageMs > DAY_MS),
  'token/timestamp-expired#eleven-minutes': old((ageMs) => ageMs <= 660_000),
  'token/timestamp-expired#a-quarter': old((ageMs) => ageMs <= 900_000),
  'token/timestamp-expired#epoch': old((ageMs) => ageMs > 20 * 365 * DAY_MS),
  'token/timestamp-expired#with-offset': forgive('time-old', (r) =>
    /[+-]\d\d:?\d\d$/.test(textOf(r.fields['_'])),
  ),
  'token/timestamp-expired#offset-ignored': forgive('time-old', (r) => {
    const local = Date.parse(`${textOf(r.fields['_']).replace(/([+-]\d\d:?\d\d|Z)$/, '')}Z`);
    return Math.abs(r.service.now() - local) <= NEAR_MS;
  }),
  'token/timestamp-expired#without-fraction': forgive(
    'time-old',
    (r) => !textOf(r.fields['_']).includes('.'),
  ),
  'token/timestamp-expired#leeway-of-30-seconds': oldUpTo(630_000),
  'token/timestamp-expired#leeway-of-a-minute': oldUpTo(660_000),
  'token/timestamp-fresh#after-five-minutes': refuseFrom(300_000),
  'token/timestamp-fresh#after-nine-minutes': refuseFrom(540_000),
  'token/timestamp-fresh#minute-of-the-hour': refuseTime(
    (ageMs) => ageMs > 120_000 && ageMs < 480_000,
  ),
  'token/timestamp-fresh#after-580-seconds': refuseFrom(580_000),
  'token/timestamp-fresh#after-590-seconds': refuseFrom(590_000),
  'token/timestamp-fresh#across-midnight': refuseYesterday(0),
  'token/timestamp-fresh#across-midnight-in-china': refuseYesterday(8),
  'token/timestamp-fresh#negative-offset': refuseForm(/-\d\d:\d\d$/),
  'token/timestamp-fresh#whole-hours-only': refuseForm(/[+-]\d\d:?[1-5]\d$/),
  'token/timestamp-fresh#offset-in-exchange': refuseForm(/[+-]\d\d:\d\d$/, 'user'),
  'token/timestamp-fresh#fraction-in-refresh': refuseForm(/\.\d+Z$/, 'refresh'),
  'token/timestamp-fresh#china-offset-in-platform': refuseForm(/\+08:00$/, 'platform'),
  'token/timestamp-fresh#minutes-of-offset-dropped': refuseMisread(
    (sign, hours) => sign * hours * 60,
  ),
  'token/timestamp-fresh#sign-ignored': refuseMisread(
    (_sign, hours, minutes) => hours * 60 + minutes,
  ),
  'token/timestamp-fresh#offset-as-fraction': refuseMisread(
    (sign, hours, minutes) => sign * (hours + minutes / 100) * 60,
  ),
  'token/timestamp-unchecked-in-test#a-year': forgive(
    'time-checked-in-test',
    (r) => r.service.now() - Date.parse(textOf(r.fields['_'])) > 100 * DAY_MS,
  ),
  'token/timestamp-unchecked-in-test#an-hour': forgive('time-checked-in-test', (r) => {
    const ageMs = r.service.now() - Date.parse(textOf(r.fields['_']));
    return ageMs < DAY_MS / 2;
  }),
  'token/timestamp-unchecked-in-test#refresh': forgive(
    'time-checked-in-test',
    (r) => r.kind === 'refresh',
  ),
  'token/timestamp-unchecked-in-test#1970': forgive(
    'time-checked-in-test',
    (r) => Date.parse(textOf(r.fields['_'])) < 5 * 365 * DAY_MS,
  ),
  'token/timestamp-unchecked-in-test#exchange': forgive(
    'time-checked-in-test',
    (r) => r.kind === 'user',
  ),
};
