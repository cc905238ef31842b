import { describe, expect, it } from 'vitest';
import { movedTime } from '../../../../src/conformance/service/resend/moved-time.ts';

const SENT = Date.UTC(2026, 10, 22, 21, 40, 34, 500);
const HOUR_MS = 3_600_000;

const move = (text: string, byMs = 3 * HOUR_MS + 1_000): string | null =>
  movedTime(text, byMs, SENT);

describe('a time that is moved', () => {
  it.each([
    ['2026-11-22T21:40:34Z', '2026-11-23T00:40:35Z'],
    ['2026-11-22T21:40:34.250Z', '2026-11-23T00:40:35.250Z'],
    ['2026-11-22T21:40:34,5+08:00', '2026-11-23T00:40:35,5+08:00'],
    ['2026-11-22T21:40:34', '2026-11-23T00:40:35'],
    ['20261122T212034Z', '20261123T002035Z'],
    ['2026/11/22 21:40:34', '2026/11/23 00:40:35'],
    ['2026年11月22日 21:40:34', '2026年11月23日 00:40:35'],
    ['x2026-11-22T21:40:34Zx', 'x2026-11-23T00:40:35Zx'],
    ['Sun, 22 Nov 2026 21:40:34 GMT', 'Mon, 23 Nov 2026 00:40:35 GMT'],
    ['1795383634', '1795394435'],
    ['1795383634000', '1795394435000'],
    ['/Date(1795383634000)/', '/Date(1795394435000)/'],
  ])('keeps its form: %s', (sent, moved) => {
    expect(move(sent)).toBe(moved);
  });

  it('is moved back too, over the end of a year', () => {
    expect(move('2027-01-01T00:00:00Z', -1_000)).toBe('2026-12-31T23:59:59Z');
  });

  it.each(['', 'now', '-1 minute', '0', '1', 'x'])('stays where there is none: "%s"', (text) => {
    expect(move(text)).toBe(text);
  });

  it.each([
    ['an hour beyond 24', '2026-11-20T69:40:34Z'],
    ['a month 13', '2026-13-22T21:00:00Z'],
    ['a day before the month', '22.11.2026 21:40:34'],
    ['a month in words', 'Nov 22, 2026 21:40:34 UTC'],
    ['Unix seconds of another day', '1234567890'],
    ['full-width digits', '２０２６-１１-２２T２１:４０:３４Z'],
  ])('is not guessed for %s', (_, text) => {
    expect(move(text)).toBeNull();
  });
});
