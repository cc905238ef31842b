import { expect, it } from 'vitest';
import { otherTimes } from '../../../src/conformance/signature/other-times.ts';

it('contains neighbouring times in the same notation', () => {
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
])('%s may have been signed as %s', (sent, other) => {
  expect(otherTimes(sent)).toContain(other);
});
