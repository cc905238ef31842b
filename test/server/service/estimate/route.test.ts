import { describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../../../src/interface/default-behaviour.ts';
import type { Behaviour } from '../../../../src/interface/index.ts';
import { parseQuery, readRoute } from '../../../../src/server/service/estimate/route.ts';
import { QUERY } from '../../caller.ts';
import { refusalOf } from '../../refusal.ts';

describe('a query', () => {
  it.each([
    ['', []],
    [
      'a=1&b=2',
      [
        ['a', '1', '1'],
        ['b', '2', '2'],
      ],
    ],
    [
      '&a=1&&b=2&',
      [
        ['a', '1', '1'],
        ['b', '2', '2'],
      ],
    ],
    [
      'a&b=',
      [
        ['a', '', ''],
        ['b', '', ''],
      ],
    ],
    ['=x', [['', 'x', 'x']]],
    ['a=b=c', [['a', 'b=c', 'b=c']]],
    ['a+b=c+d%20e', [['a b', 'c d e', 'c+d%20e']]],
    ['%61=%E5%A4%A9~', [['a', '天~', '%E5%A4%A9~']]],
  ])('%s is decoded, and kept as it was sent', (raw, parameters) => {
    const { decoded, encoded } = parseQuery(raw);
    expect([...decoded]).toEqual(parameters.map(([name, value]) => [name, value]));
    expect([...encoded]).toEqual(parameters.map(([name, , sent]) => [name, sent]));
  });

  it.each(['a=天', 'a=\x7f', 'ä=1', 'a=%', 'a=%ff'])('%j is refused', (raw) => {
    const refusal = refusalOf(() => parseQuery(raw));
    expect(refusal?.condition).toBe('parameter-invalid');
    expect(refusal?.detail).toEqual({ rule: 'estimate/non-ascii-names' });
  });

  it('with a name twice is refused, and the name given', () => {
    const refusal = refusalOf(() => parseQuery('a=1&%61=2'));
    expect(refusal?.detail).toStrictEqual({ field: 'a' });
  });
});

describe('a route', () => {
  const read = (change: Readonly<Record<string, string>>, behaviour: Partial<Behaviour> = {}) =>
    readRoute(new Map(Object.entries({ ...QUERY, ...change })), {
      ...DEFAULT_BEHAVIOUR,
      ...behaviour,
    });

  it.each([
    ['.55', 0.55],
    ['-5.', -5],
    ['+1.25e1', 12.5],
    ['1E-2', 0.01],
    [`0.${'0'.repeat(61)}1`, 1e-62],
  ])('has the latitude %s', (start_lat, degrees) => {
    expect(read({ start_lat })?.startLat).toBe(degrees);
  });

  it.each([
    ['.', 'numeric'],
    ['.x', 'numeric'],
    ['1.x', 'numeric'],
    ['1e', 'numeric'],
    [`0.${'0'.repeat(62)}1`, 'numeric'],
    ['90.5', 'range'],
    ['-90.5', 'range'],
  ])('has no latitude %s', (start_lat, rule) => {
    expect(refusalOf(() => read({ start_lat }))?.detail).toStrictEqual({
      field: 'start_lat',
      rule: `estimate/coordinates-${rule}`,
    });
  });

  it.each([
    ['', null],
    ['1772452800', 1_772_452_800],
    ['0', 0],
    ['2026-03-02T12:00:00Z', 1_772_452_800],
    ['2026-03-02 12:00:00.9Z', 1_772_452_800],
    ['20260302T2000+0800', 1_772_452_800],
  ])('departs at %j', (departure_time, seconds) => {
    expect(read({ departure_time })?.departureS).toBe(seconds);
  });

  it.each([
    ['iso8601', 'must be a Unix time in seconds, or a date and time in ISO 8601.'],
    ['refused', 'must be a Unix time in seconds.'],
  ] as const)('says which departures it takes, if texts are %s', (texts, words) => {
    const behaviour = { 'departure-time-text': texts };
    const refusal = refusalOf(() => read({ departure_time: 'soon' }, behaviour));
    expect(refusal?.message).toBe(`The parameter departure_time ${words}`);
    expect(refusal?.detail.rule).toBe('estimate/departure-time');
    expect(refusalOf(() => read({ departure_time: '1772452800' }, behaviour))).toBeNull();
    const iso = refusalOf(() => read({ departure_time: '2026-03-02T12:00:00Z' }, behaviour));
    expect(iso === null).toBe(texts === 'iso8601');
  });

  it('is of the map types of the gap, and of soso always', () => {
    const behaviour = { 'map-types': ['gps'] };
    for (const map_type of ['', 'soso', 'gps'])
      expect(refusalOf(() => read({ map_type }, behaviour))).toBeNull();
    expect(refusalOf(() => read({ map_type: 'other' }, {}))).toBeNull();
    const refusal = refusalOf(() => read({ map_type: 'other' }, behaviour));
    expect(refusal?.message).toBe('The parameter map_type must be one of soso, gps.');
    expect(refusal?.detail).toStrictEqual({ field: 'map_type' });
  });
});
