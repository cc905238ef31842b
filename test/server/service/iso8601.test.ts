import { describe, expect, it } from 'vitest';
import { parseTimestamp } from '../../../src/server/service/iso8601.ts';
import { writeDate } from '../../support/iso8601-dates.ts';
import fc from '../../support/property.ts';

const AT = Date.UTC(2026, 2, 1, 8, 30);

describe('ISO 8601', () => {
  it.each([
    ['2026-03-01T08:30:00Z', AT],
    ['2026-03-01T16:30:00+08:00', AT],
    ['2026-03-01T16:30:00+0800', AT],
    ['2026-03-01T16:30:00+08', AT],
    ['2026-03-01T03:00:00-05:30', AT],
    ['20260301T083000Z', AT],
    ['20260301T163000+0800', AT],
    ['2026-03-01T08:30Z', AT],
    ['2026-03-01T08:30:00.250Z', AT + 250],
    ['2026-03-01T08:30:00,250999999Z', AT + 250],
    ['2026-02-28T24:00:00Z', Date.UTC(2026, 2, 1)],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['0001-01-01T00:00:00Z', -62135596800000],
    ['2026-W09-7T08:30:00Z', AT],
    ['2026W097T163000+08', AT],
    ['2026-060T08:30:00Z', AT],
    ['2026060T083000Z', AT],
    ['2020-W53-5T00:00:00Z', Date.UTC(2021, 0, 1)],
    ['2026-W01-1T00:00:00Z', Date.UTC(2025, 11, 29)],
    ['2024-366T24:00:00Z', Date.UTC(2025, 0, 1)],
    ['2026-03-01T16+08', AT - 30 * 60_000],
    ['2026-03-01T08:30,25Z', AT + 15_000],
    ['2026-03-01T08.5Z', AT],
    ['20260301T0830.0Z', AT],
    ['20260301T163000+08:00', AT],
    ['2026-03-01T08:30:00.0000000000001Z', AT],
    ['20260301T16+0730', AT],
    ['2026-03-02T07:30:00+23:00', AT],
    ['2026-03-01T14:29:00+05:59', AT],
  ])('%s', (text, ms) => expect(parseTimestamp(text)).toEqual({ ms, hasOffset: true }));

  it('without an offset is read as UTC, and marked as such', () => {
    expect(parseTimestamp('2026-03-01T08:30:00')).toEqual({ ms: AT, hasOffset: false });
  });

  it.each([
    '',
    '2026-03-01',
    '2026-03-01 08:30:00Z',
    '2026-03-01t08:30:00z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-03-00T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-03-01T24:00:01Z',
    '2026-03-01T08:60:00Z',
    '2026-03-01T23:60:00Z',
    '12026-03-01T08:30:00Z',
    '2026-03-011T08:30:00Z',
    '2026-03-01T08:30:61Z',
    '2026-03-01T08:30:00+24:00',
    '2026-03-01T08:30:00+08:60',
    '2026-03-01T08:30:00+8',
    '2026-03-01T08:30:00.Z',
    '2026-03-01T083000Z',
    '20260301T08:30:00Z',
    '2026-W09T08:30:00Z',
    '2026-W00-7T08:30:00Z',
    '2026-W54-1T08:30:00Z',
    '2025-W53-1T08:30:00Z',
    '2026-W09-0T08:30:00Z',
    '2026-W09-8T08:30:00Z',
    '2026-W097T08:30:00Z',
    '2026W09-7T083000Z',
    '2026W097T08:30:00Z',
    '2026-w09-7T08:30:00Z',
    '2026-000T08:30:00Z',
    '2026-366T08:30:00Z',
    '2026-060T083000Z',
    '2026060T08:30:00Z',
    '2026-60T08:30:00Z',
    '2026-03-01T24:00:00.5Z',
    '2026-03-01T0830Z',
    '26-03-01T08:30:00Z',
    '1772353800',
    '1772353800000',
    'Sun, 01 Mar 2026 08:30:00 GMT',
    ' 2026-03-01T08:30:00Z',
    '2026-03-01T08:30:00Z\n',
    '２０２６-03-01T08:30:00Z',
  ])('not: %j', (text) => expect(parseTimestamp(text)).toBeNull());

  const range = { min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };

  it('reads back every date that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
        expect(parseTimestamp(date.toISOString())?.ms).toBe(date.getTime());
      }),
    );
  });

  it('reads back every day, in each notation of a date', () => {
    const positive = { ...range, min: new Date('0001-01-01T00:00:00Z') };
    fc.assert(
      fc.property(
        fc.date({ ...positive, noInvalidDate: true }),
        fc.boolean(),
        (date, isExtended) => {
          const iso = date.toISOString();
          const time = iso.slice(iso.indexOf('T'));
          for (const day of Object.values(writeDate(date, isExtended))) {
            const text = day + (isExtended ? time : time.replaceAll(':', ''));
            expect([text, parseTimestamp(text)?.ms]).toEqual([text, date.getTime()]);
          }
        },
      ),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        parseTimestamp(text);
      }),
    );
  });
});
