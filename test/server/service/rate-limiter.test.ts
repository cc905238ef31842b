import { expect, it } from 'vitest';
import { RateLimiter, rateLimiterOf } from '../../../src/server/service/rate-limiter.ts';
import { Partners } from '../../../src/server/service/state/partners.ts';
import { refusalOf } from '../refusal.ts';

const partners = new Partners();
const [one, other] = [partners.add('one', 'k', false), partners.add('other', 'k', false)];

/** Number of requests out of 100 that are served at a time. */
function servedAt(limiter: RateLimiter, nowMs: number, partner = one): number {
  const refusals = Array.from({ length: 100 }, () =>
    refusalOf(() => limiter.require(partner, nowMs)),
  );
  const refused = refusals.filter((refusal) => refusal !== null);
  expect(new Set(refused.map(({ condition }) => condition))).toEqual(new Set(['rate-limited']));
  return 100 - refused.length;
}

it('serves as many at once as in a second, and then as many as time has passed', () => {
  const limiter = new RateLimiter(10);
  expect(servedAt(limiter, 1000)).toBe(10);
  expect(servedAt(limiter, 1000)).toBe(0);
  expect(servedAt(limiter, 1300)).toBe(3);
  expect(servedAt(limiter, 1350)).toBe(0);
  expect(servedAt(limiter, 1400)).toBe(1);
  // No more than a second is saved up.
  expect(servedAt(limiter, 9000)).toBe(10);
});

it('counts each partner on its own', () => {
  const limiter = new RateLimiter(10);
  expect(servedAt(limiter, 0)).toBe(10);
  expect(servedAt(limiter, 0, other)).toBe(10);
});

it('takes nothing back if the clock is moved back', () => {
  const limiter = new RateLimiter(10);
  limiter.require(one, 5000);
  expect(servedAt(limiter, 1000)).toBe(9);
});

it('limits what the gap limits', () => {
  expect(rateLimiterOf('none')).toBeNull();
  expect(servedAt(rateLimiterOf({ perSecond: 7 })!, 0)).toBe(7);
});
