import { expect, it } from 'vitest';
import {
  TIME_FORMS,
  type TimeForm,
} from '../../../../src/conformance/service/contract/time-forms.ts';

const AT = Date.UTC(2026, 2, 2, 20, 7, 5, 987);

const TEXTS: Readonly<Record<TimeForm, string>> = {
  'with Z': '2026-03-02T20:07:05Z',
  'with a fraction and with Z': '2026-03-02T20:07:05.987Z',
  'with +00:00': '2026-03-02T20:07:05+00:00',
  'with a fraction and with +00:00': '2026-03-02T20:07:05.987+00:00',
  'with +08:00': '2026-03-03T04:07:05+08:00',
  'with -05:00': '2026-03-02T15:07:05-05:00',
  'with +05:30': '2026-03-03T01:37:05+05:30',
  'without an offset': '2026-03-02T20:07:05',
  'in UTC, with +08:00': '2026-03-02T20:07:05+08:00',
  'in UTC, with +05:30': '2026-03-02T20:07:05+05:30',
  'with the fraction .000': '2026-03-02T20:07:05.000Z',
  'with the fraction .250': '2026-03-02T20:07:05.250Z',
  'in the basic format': '20260302T200705Z',
  'in Unix seconds': '1772482025',
  'in Unix milliseconds': '1772482025000',
  'in Unix seconds after an @': '@1772482025',
  'as /Date(…)/': '/Date(1772482025000)/',
  'as an HTTP date': 'Mon, 02 Mar 2026 20:07:05 GMT',
  'in words': 'Mar 02, 2026 20:07:05 UTC',
  'as a text of Java': 'Mon Mar 02 20:07:05 UTC 2026',
  'as YYYY/MM/DD hh:mm:ss': '2026/03/02 20:07:05',
  'as DD.MM.YYYY hh:mm:ss': '02.03.2026 20:07:05',
  'as MM/DD/YYYY hh:mm:ss': '03/02/2026 20:07:05',
  'as YYYY年MM月DD日 hh:mm:ss': '2026年03月02日 20:07:05',
  'as YYYY-MM-DD hh:mm:ss UTC': '2026-03-02 20:07:05 UTC',
  'as ISO 8601 with a letter after it': '2026-03-02T20:07:05Zx',
  'as ISO 8601 with a letter before it': 'x2026-03-02T20:07:05Z',
  'in full-width digits': '２０２６-０３-０２T２０:０７:０５Z',
  'with a month beyond 12': '2025-15-02T20:07:05Z',
  'with a day beyond 31': '2026-01-61T20:07:05Z',
  'with an hour beyond 24': '2026-02-28T68:07:05Z',
  'with a minute beyond 59': '2026-03-02T19:67:05Z',
  'with the month 13': '2026-13-02T20:00:00Z',
  'with the day 32': '2026-03-32T20:00:00Z',
  'with the hour 25': '2026-03-02T25:00:00Z',
  'with the minute 60': '2026-03-02T20:60:00Z',
};

it('each form of a time spells the same time', () => {
  const texts = Object.entries(TIME_FORMS).map(([form, write]) => [form, write(AT)]);
  expect(Object.fromEntries(texts)).toEqual(TEXTS);
});

it('a minute beyond 59 has two digits, and the hour stays where it can', () => {
  const write = TIME_FORMS['with a minute beyond 59'];
  expect(write(Date.UTC(2026, 2, 2, 20, 49))).toBe('2026-03-02T20:60:00Z');
  expect(write(Date.UTC(2026, 2, 2, 20, 48))).toBe('2026-03-02T19:99:00Z');
});
