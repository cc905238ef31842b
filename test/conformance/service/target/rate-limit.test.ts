import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { rateLimiter } from '../../../../src/conformance/service/target/rate-limit.ts';
import { judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('spaces requests evenly, in bursts and late ones', async () => {
  const rateLimit = rateLimiter(4, () => Date.now());
  const startMs = Date.now();
  const passed: number[] = [];
  const ask = async (): Promise<void> => {
    await rateLimit();
    passed.push(Date.now() - startMs);
  };
  const first = Promise.all([ask(), ask(), ask(), ask()]);
  await vi.advanceTimersByTimeAsync(2_000);
  await first;
  expect(passed).toEqual([0, 250, 500, 750]);
  const second = Promise.all([ask(), ask()]);
  await vi.advanceTimersByTimeAsync(1_000);
  await second;
  // Unused time is not made up for.
  expect(passed.slice(4)).toEqual([2_000, 2_250]);
});

it('does not wait without a rate', async () => {
  await rateLimiter(null, () => 0)();
  expect(vi.getTimerCount()).toBe(0);
});

it('applies to each request of a run', { timeout: 120_000 }, async () => {
  vi.useRealTimers();
  const only = ['token/nostr-length'];
  // The clock of the limiter runs a thousand times faster than that of the requests.
  let nowMs = 0;
  const monotonic = (): number => {
    nowMs += 1_000;
    return nowMs;
  };
  const { result } = await judgeMetered(STYLES[0]!, [], ['general'], {
    only,
    maxRate: 2,
    monotonic,
  });
  expect(withVerdict(result, 'pass')).toEqual(only);
});
