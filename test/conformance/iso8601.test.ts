import { expect, it } from 'vitest';
import { parseIso8601 } from '../../src/conformance/iso8601.ts';
import { parseTimestamp } from '../../src/server/service/iso8601.ts';
import { writeDate } from '../support/iso8601-dates.ts';
import fc from '../support/property.ts';

it.each([
  ['2026-03-02T12:00:00Z', 0],
  ['2026-03-02T12:00:00.250Z', 250],
  ['2026-03-02T12:00:00,25+00:00', 250],
  ['2026-03-02T20:00:00+08:00', 0],
  ['20260302T200000+0800', 0],
  ['2026-03-02T12:00', 0],
  ['2026-03-02T04-08', 0],
  ['2026-03-02T12:00:00.000123456Z', 0.123456],
  ['2026-W10-1T12:00:00Z', 0],
  ['2026W101T200000+08', 0],
  ['2026-061T12:00:00Z', 0],
  ['2026061T120000Z', 0],
  ['20260302T120000,5Z', 500],
  ['2026-03-02T12:00,5Z', 30_000],
  ['2026-03-02T11.5-00:30', 0],
  ['2026-03-01T24:00:00-12:00', 0],
  ['20260302T200000+08:00', 0],
  ['20260302T20+0800', 0],
  ['2026-03-02T11:59:60Z', 0],
  ['2026-03-03T11:59:00+23:59', 0],
])('parses %s', (text, ms) => {
  expect(parseIso8601(text)?.ms).toBeCloseTo(Date.UTC(2026, 2, 2, 12) + ms, 3);
});

it.each([
  '1772452800',
  '2026-03-02 12:00:00',
  'Mon, 02 Mar 2026 12:00:00 GMT',
  '2026-02-30T12:00:00Z',
  '2026-13-02T12:00:00Z',
  '2026-00-02T12:00:00Z',
  '2026-03-02T25:00:00Z',
  '2026-03-02T24:00:01Z',
  '2026-03-02T24:01:00Z',
  '2026-03-0212:00:00Z',
  '2026-0302T12:00:00Z',
  '2026-03-02T12:0000Z',
  '2026-03-02T12:00:00+24:00',
  '2026-03-02T120000Z',
  '20260302T12:00:00Z',
  '2026-W10T12:00:00Z',
  '2026-W00-1T12:00:00Z',
  '2025-W53-1T12:00:00Z',
  '2026-W10-0T12:00:00Z',
  '2026-W10-8T12:00:00Z',
  '2026-W101T12:00:00Z',
  '2026-000T12:00:00Z',
  '2026-366T12:00:00Z',
  '2026-061T120000Z',
  '2026-03-02T24:00:00,1Z',
  '2026-03-02',
])('rejects %s', (text) => {
  expect(parseIso8601(text)).toBeNull();
});

it('tells whether a time has an offset', () => {
  expect(parseIso8601('2026-03-02T12:00:00Z')?.hasOffset).toBe(true);
  expect(parseIso8601('2026-03-02T20:00:00+08')?.hasOffset).toBe(true);
  expect(parseIso8601('2026-03-02T12:00:00')?.hasOffset).toBe(false);
});

const range = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };

it('parses each notation of a date, extended and basic', () => {
  fc.assert(
    fc.property(fc.date({ ...range, noInvalidDate: true }), fc.boolean(), (date, isExtended) => {
      const iso = date.toISOString();
      const time = iso.slice(iso.indexOf('T'));
      for (const day of Object.values(writeDate(date, isExtended))) {
        const text = day + (isExtended ? time : time.replaceAll(':', ''));
        expect([text, parseIso8601(text)?.ms]).toEqual([text, date.getTime()]);
      }
    }),
  );
});

it('parses what the server parses, and nothing else', () => {
  const digit = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'));
  const text = fc
    .array(
      fc.oneof(
        digit,
        fc.constantFrom('2026', '-', '-', ':', ':', 'W', 'T', '.5', ',25', 'Z', '+08', '6'),
      ),
      { minLength: 6, maxLength: 14 },
    )
    .map((parts) => parts.join(''));
  const likely = fc
    .tuple(digit, digit, digit, digit, digit)
    .map(([a, b, c, d, e]) => [
      `2026-${a}-${b}T${c}:${d}:${e}Z`,
      `2026${a}${b}T${c}${d}${e}Z`,
      `2026-W${a}-${b[1]}T${c}:${d}Z`,
      `2026-${a}${b[1]}T${c}:${d}:${e}+${a}:${b}`,
    ]);
  fc.assert(
    fc.property(text, likely, (any, some) => {
      for (const one of [any, ...some]) {
        const server = parseTimestamp(one)?.ms;
        expect([one, Math.floor(parseIso8601(one)?.ms ?? -1)]).toEqual([one, server ?? -1]);
      }
    }),
  );
});

it('parses what toISOString writes', () => {
  fc.assert(
    fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
      expect(parseIso8601(date.toISOString())?.ms).toBe(date.getTime());
    }),
  );
});
