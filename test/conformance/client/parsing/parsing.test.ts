import { describe, expect, it } from 'vitest';
import { parseAnswer } from '../../../../src/conformance/client/parsing/answer.ts';
import { parseAuthorization } from '../../../../src/conformance/client/parsing/authorization.ts';
import { parseBody } from '../../../../src/conformance/client/parsing/body.ts';
import { parseIso8601 } from '../../../../src/conformance/client/parsing/iso8601.ts';
import { parseQuery } from '../../../../src/conformance/client/parsing/query.ts';
import { salvageRequest } from '../../../../src/conformance/client/parsing/salvage.ts';
import { otherTimes } from '../../../../src/conformance/client/signature/other-times.ts';
import { parseTimestamp } from '../../../../src/server/token/timestamp.ts';
import { writeDate } from '../../../support/iso8601-dates.ts';
import fc from '../../../support/property.ts';

describe('a query', () => {
  it('is read back as it was encoded, with nothing wrong about it', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('%'));
    fc.assert(
      fc.property(
        fc.dictionary(
          text.filter((name) => name !== ''),
          text,
        ),
        (pairs) => {
          const { parameters, encodingFault } = parseQuery(new URLSearchParams(pairs).toString());
          expect(encodingFault).toBeNull();
          expect(parameters).toEqual({ ...pairs });
        },
      ),
    );
  });

  it('never throws, whatever is sent', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (raw) => void parseQuery(raw)));
  });

  it.each([
    ['a=%', /% without/],
    ['a=b c', /space/],
    ['a=\u00e5', /non-ASCII/],
    ['a=%CC%EC', /GBK they are "天"/],
    ['a=%25E5%25A4%25A9', /twice/],
  ])('%s is not in order', (raw, words) => {
    expect(parseQuery(raw).encodingFault).toMatch(words);
  });
});

describe('a time', () => {
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
  ])('%s is ISO 8601', (text, ms) => {
    expect(parseIso8601(text)?.ms).toBeCloseTo(Date.UTC(2026, 2, 2, 12) + ms, 3);
  });

  it.each([
    '1772452800',
    '2026-03-02 12:00:00',
    'Mon, 02 Mar 2026 12:00:00 GMT',
    '2026-02-30T12:00:00Z',
    '2026-03-02T25:00:00Z',
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
  ])('%s is not', (text) => {
    expect(parseIso8601(text)).toBeNull();
  });

  const range = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };

  it('is read back in each notation of a date, extended and basic', () => {
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

  it('is read by the checker where the server reads it, and nowhere else', () => {
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

  it('is what any date writes of itself', () => {
    fc.assert(
      fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
        expect(parseIso8601(date.toISOString())?.ms).toBe(date.getTime());
      }),
    );
  });

  it('has neighbours that are written the same way', () => {
    expect(otherTimes('2026-03-02T12:00:07+08:00')).toContain('2026-03-02T12:00:06+08:00');
    expect(otherTimes('2026-03-02T12:00:07.000Z')).toContain('2026-03-02T12:00:06.999Z');
    expect(otherTimes('20260302T120007Z')).toContain('20260302T120008Z');
    expect(otherTimes('2026-W10-1T12:00:07.5Z')).toContain('2026-W10-1T12:00:07.6Z');
    expect(otherTimes(12)).toEqual([]);
    expect(otherTimes('noon')).toEqual([]);
    expect(otherTimes('2026-03-02T12:00:07Z')).not.toContain('2026-03-02T12:00:07Z');
  });

  it.each([
    ['2026-03-02T12:00:00Z', '2026-03-02T11:59:59Z'],
    ['2026-03-02T12:59:59+08:00', '2026-03-02T13:00:00+08:00'],
    ['2026-03-02T12:00:59.999Z', '2026-03-02T12:01:00.000Z'],
    ['2026-03-02T12:01:00.001000Z', '2026-03-02T12:00:59.999999Z'],
    ['2026-12-31T23:59:59Z', '2027-01-01T00:00:01Z'],
    ['20240229T000000,1Z', '20240228T235959,9Z'],
    ['2026-061T12:00:59Z', '2026-061T12:01:00Z'],
    ['2026-03-02T12:00:00.500Z', '2026-03-02T12:00:01.500Z'],
    ['2026-03-02T12:00:00.500Z', '2026-03-02T12:00:00Z'],
    ['2026-03-02T12:00:00Z', '2026-03-02T12:00:00+00:00'],
    ['2026-03-02T20:00:00.5+08:00', '1772452800500'],
    ['2026-03-02T12:00:00Z', '1772452800'],
  ])('%s has %s beside it', (sent, other) => {
    expect(otherTimes(sent)).toContain(other);
  });
});

describe('an Authorization', () => {
  it.each([
    [undefined, 'missing'],
    ['Bearer p|t', 'pair'],
    ['bearer p|t', 'pair'],
    ['Bearer p|s openid|t', 'user'],
    ['Bearer p t', 'other'],
    ['Bearer  p|t', 'other'],
    ['Basic p|t', 'other'],
    ['Bearer p|s openid|', 'other'],
    ['Bearer p|s|t', 'other'],
  ])('%s is read', (header, form) => {
    expect(parseAuthorization(header).form).toBe(form);
  });

  it('of any shape gives the signature in it to the diagnosis', () => {
    const digest = '0123456789abcdef0123456789abcdef';
    expect(parseAuthorization(`Bearer p:${digest}`).salvagedSignature).toBe(digest);
    expect(parseAuthorization(`Bearer p:${digest}0`).salvagedSignature).toBeNull();
  });
});

it('a body is read as JSON, as a form, or not at all', () => {
  expect(parseBody(Buffer.from('{"a":1}'))).toEqual({ body: 'json', fields: { a: 1 } });
  expect(parseBody(Buffer.from('a=1&b=%20'))).toEqual({ body: 'form', fields: { a: '1', b: ' ' } });
  for (const text of ['', '[1]', 'null', '{"a":', 'words']) {
    expect(parseBody(Buffer.from(text)).body).toBe('other');
  }
});

it('an answer of any sort is read', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      const { estimateIds } = parseAnswer(body);
      expect(Array.isArray(estimateIds)).toBe(true);
    }),
  );
});

it('a request line with a space in its query is read all the same', () => {
  const bytes = Buffer.from('GET /v1/estimates/prices?from_name=a b HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(salvageRequest(bytes, 5)).toMatchObject({
    method: 'GET',
    target: '/v1/estimates/prices?from_name=a b',
    headers: { host: 'x' },
  });
  expect(salvageRequest(Buffer.from('\x16\x03\x01'), 5)).toBeNull();
});
