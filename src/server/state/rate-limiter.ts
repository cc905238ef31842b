import type { Partner } from './partners.ts';

/** A token bucket for each partner, with room for one second's requests (gap `estimate-rate-limit`). */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #buckets = new Map<Partner, { level: number; atMs: number }>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Takes one token from the partner's bucket; false if it is empty. */
  take(partner: Partner, nowMs: number): boolean {
    const bucket = this.#buckets.get(partner) ?? { level: this.#perSecond, atMs: nowMs };
    const refilled = ((nowMs - bucket.atMs) / 1000) * this.#perSecond;
    bucket.level = Math.min(this.#perSecond, bucket.level + Math.max(0, refilled));
    bucket.atMs = nowMs;
    this.#buckets.set(partner, bucket);
    if (bucket.level < 1) return false;
    bucket.level -= 1;
    return true;
  }
}
