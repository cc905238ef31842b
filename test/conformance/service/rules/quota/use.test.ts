import { expect, it } from 'vitest';
import { mayBeOneDay } from '../../../../../src/conformance/service/rules/quota/use.ts';

const DAY_MS = 86_400_000;

it('24 hours apart is one day only if clocks are set back', () => {
  const beforeTheHour = Date.parse('2026-10-25T00:30:00+02:00');
  expect(mayBeOneDay(beforeTheHour, beforeTheHour + DAY_MS + 10_000)).toBe(true);
  expect(mayBeOneDay(beforeTheHour, beforeTheHour + DAY_MS + 3 * 3_600_000)).toBe(false);
  const ordinary = Date.parse('2026-07-08T12:00:00Z');
  expect(mayBeOneDay(ordinary, ordinary + DAY_MS + 10_000)).toBe(false);
  expect(mayBeOneDay(ordinary, ordinary + 60_000)).toBe(true);
});
