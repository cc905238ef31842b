import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StallWatch } from '../../../../src/conformance/client/evidence/stall-watch.ts';

const START = 1000;
let nowMs = START;
let watch: StallWatch;

/** Lets the event loop turn at a time, and not between the last turn and this one. */
function turnAt(ms: number): void {
  nowMs = ms;
  vi.runOnlyPendingTimers();
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate'] });
  nowMs = START;
  watch = new StallWatch(() => nowMs);
  watch.start();
});

afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

it('measures nothing while the event loop turns', () => {
  for (let ms = START + 20; ms <= START + 100; ms += 20) turnAt(ms);
  expect([1000, 1010, 1040, 1099, 1119].map(watch.delayAt)).toEqual([0, 0, 0, 0, 0]);
});

it('measures a stall to its end, whether or not the timer runs first', () => {
  turnAt(START + 20);
  // A request that is read before the timer.
  expect(watch.delayAt(START + 540)).toBe(500);
  turnAt(START + 541);
  turnAt(START + 542);
  expect(watch.delayAt(START + 540)).toBe(500);
  expect(watch.delayAt(START + 541)).toBe(501);
  expect(watch.delayAt(START + 550)).toBe(0);
  expect(watch.delayAt(START + 39)).toBe(0);
});

it('tells the longest stall in a span of time', () => {
  turnAt(START + 20);
  turnAt(START + 340);
  turnAt(START + 361);
  turnAt(START + 480);
  expect(watch.longestIn(START, START + 480)).toBe(321);
  expect(watch.longestIn(START + 360, START + 480)).toBe(99);
  expect(watch.longestIn(START, START + 30)).toBe(0);
});

it('keeps what it measured when it stops', () => {
  nowMs = START + 720;
  watch.stop();
  expect(watch.delayAt(START + 700)).toBe(680);
  expect(watch.delayAt(START + 20)).toBe(0);
});

it('counts what is read in the turn that ends a stall', () => {
  nowMs = START + 320;
  vi.advanceTimersToNextTimer();
  nowMs = START + 325;
  expect(watch.delayAt(START + 325)).toBe(305);
});
