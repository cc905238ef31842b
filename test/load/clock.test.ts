import { expect, it, vi } from 'vitest';
import { systemClock } from '../../src/load/index.ts';

it.each([-3_600_000, 3_600_000])('runs as before when the wall clock is set by %s ms', (byMs) => {
  const { now, monotonicNs } = systemClock();
  const [startMs, startNs] = [now(), monotonicNs()];
  const wallMs = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => wallMs + byMs);
  const passedMs = now() - startMs;
  expect(passedMs).toBeGreaterThanOrEqual(0);
  expect(passedMs).toBeLessThanOrEqual(1 + (monotonicNs() - startNs) / 1e6);
});
