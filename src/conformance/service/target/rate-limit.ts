/** Waits for a request's turn; resolves at once where there is no limit. */
export type RateLimiter = () => Promise<void>;

/**
 * Makes a limiter that spaces requests evenly.
 *
 * @param maxRate requests/s; null for no limit
 * @param nowMs monotonic clock, in ms
 */
export function rateLimiter(maxRate: number | null, nowMs: () => number): RateLimiter {
  if (maxRate === null) return () => Promise.resolve();
  const gapMs = 1000 / maxRate;
  let nextMs = nowMs();
  return async () => {
    const now = nowMs();
    const turnMs = Math.max(now, nextMs);
    nextMs = turnMs + gapMs;
    if (turnMs > now) await new Promise((resolve) => setTimeout(resolve, turnMs - now));
  };
}
