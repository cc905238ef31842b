import { afterEach, expect, it, vi } from 'vitest';
import { until } from './until.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('ends once the condition is true', async () => {
  let rounds = 0;
  await until(() => ++rounds === 3);
  expect(rounds).toBe(3);
});

it('gives up after a time, and says for what it waited and what there was', async () => {
  vi.useFakeTimers();
  const sockets = [1];
  const outcome = until(
    () => sockets.length === 2,
    () => sockets,
  ).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await outcome).toMatchObject({
    message: expect.stringMatching(/waited in vain for .*sockets\.length === 2, but \[1\]/),
  });
});
