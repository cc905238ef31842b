/** Waits for the next free moment of a rate; resolves at once where there is no rate. */
export type RateLimiter = () => Promise<void>;

/**
 * Spaces requests evenly.
 *
 * @param maxRate requests a second; null for no limit
 * @param nowMs a monotonic clock, in milliseconds
 */
export function rateLimiter(maxRate: number | null, nowMs: () => number): RateLimiter {
  if (maxRate === null) return () => Promise.resolve();
  const gapMs = 1000 / maxRate;
  let next = nowMs();
  return async () => {
    const now = nowMs();
    const mine = Math.max(now, next);
    next = mine + gapMs;
    if (mine > now) await new Promise((resolve) => setTimeout(resolve, mine - now));
  };
}
