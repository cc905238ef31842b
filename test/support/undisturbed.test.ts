import { afterEach, expect, test, vi } from 'vitest';
import { standStill } from './stand-still.ts';
import { undisturbed } from './undisturbed.ts';

afterEach(() => vi.restoreAllMocks());

test('a failure while the process was paused is retried, with a note', async () => {
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

test('any other failure fails at once', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
  let attempts = 0;
  const failing = undisturbed(async () => {
    attempts++;
    throw new Error('wrong');
  });
  await expect(failing).rejects.toThrow('wrong');
  expect(attempts).toBe(1);
});

test('a repeated failure fails in the end', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += 1000;
    return nowMs;
  });
  await expect(undisturbed(() => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
});
