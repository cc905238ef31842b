import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Pulse } from '../../../src/load/agents/pulse.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('calls all at the same moment, each until it is ended, and leaves no timer', () => {
  const calls: string[] = [];
  const pulse = new Pulse(100);
  const endA = pulse.add(() => calls.push('a'));
  vi.advanceTimersByTime(50);
  const endB = pulse.add(() => calls.push('b'));
  vi.advanceTimersByTime(50);
  expect(calls).toEqual(['a', 'b']);
  endA();
  vi.advanceTimersByTime(100);
  expect(calls).toEqual(['a', 'b', 'b']);
  endB();
  expect(vi.getTimerCount()).toBe(0);
  const endC = pulse.add(() => calls.push('c'));
  vi.advanceTimersByTime(100);
  expect(calls.at(-1)).toBe('c');
  endC();
});
