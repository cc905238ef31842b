import type { Behaviour } from '../../interface/index.ts';
import { Refusal } from './messages.ts';
import type { Partner } from './state/partners.ts';

/** A token bucket for each partner, with room for one second's requests. */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #buckets = new Map<Partner, { level: number; atMs: number }>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /**
   * Takes one token from the partner's bucket.
   *
   * @throws Refusal `rate-limited` if it is empty
   */
  require(partner: Partner, nowMs: number): void {
    const bucket = this.#buckets.get(partner) ?? { level: this.#perSecond, atMs: nowMs };
    const refilled = ((nowMs - bucket.atMs) / 1000) * this.#perSecond;
    bucket.level = Math.min(this.#perSecond, bucket.level + Math.max(0, refilled));
    bucket.atMs = nowMs;
    this.#buckets.set(partner, bucket);
    if (bucket.level < 1) throw new Refusal('rate-limited', 'Too many requests in a second.');
    bucket.level -= 1;
  }
}

/** A limiter by the gaps `token-rate-limit` or `estimate-rate-limit`; null for no limit. */
export function rateLimiterOf(
  limit: Behaviour['token-rate-limit' | 'estimate-rate-limit'],
): RateLimiter | null {
  return limit === 'none' ? null : new RateLimiter(limit.perSecond);
}
