import { afterEach, expect, test, vi } from 'vitest';
import { standStill } from './stand-still.ts';
import { undisturbed } from './undisturbed.ts';

afterEach(() => vi.restoreAllMocks());

test('what fails while the process stood still is done again, and that is said', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  let attempts = 0;
  const result = await undisturbed(async () => {
    if (++attempts > 2) return 'done';
    standStill(300);
    throw new Error('too late');
  });
  expect([result, attempts]).toEqual(['done', 3]);
  expect(warn.mock.calls.flat().join('\n')).toMatch(/stood still for \d+ ms: Error: too late/);
});

test('what fails while it did not, fails at once', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
  let attempts = 0;
  const failing = undisturbed(async () => {
    attempts++;
    throw new Error('wrong');
  });
  await expect(failing).rejects.toThrow('wrong');
  expect(attempts).toBe(1);
});

test('what fails each time does so in the end', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += 1000;
    return nowMs;
  });
  await expect(undisturbed(() => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
});
