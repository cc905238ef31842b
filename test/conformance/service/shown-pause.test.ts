import { expect, it } from 'vitest';
import { MACHINE_CLOCK, type RunClock } from '../../../src/conformance/index.ts';
import { shownPause } from '../../../src/conformance/service/sleep.ts';

const NOW_MS = 1_000;

/** A clock that stands still, by whose timers an aborted sleep ends. */
const clock: RunClock = { ...MACHINE_CLOCK, now: () => NOW_MS };

it('tells of a long pause until when it lasts, and ends with the signal', async () => {
  const controller = new AbortController();
  const told: number[][] = [];
  const pause = shownPause({
    clock,
    signal: controller.signal,
    onWait: (untilMs, nowMs) => {
      told.push([untilMs, nowMs]);
      controller.abort();
    },
  });
  await pause(61_000);
  expect(told).toEqual([[NOW_MS + 61_000, NOW_MS]]);
});

it('tells of one of several pauses at once', async () => {
  const controller = new AbortController();
  const others: Promise<void>[] = [];
  let told = 0;
  const pause = shownPause({
    clock,
    signal: controller.signal,
    onWait: () => {
      told++;
      others.push(pause(61_000), pause(61_000));
      controller.abort();
    },
  });
  await pause(61_000);
  await Promise.all(others);
  expect([told, others.length]).toEqual([1, 2]);
});

it('tells of no short pause', async () => {
  let told = 0;
  await shownPause({ clock, onWait: () => told++ })(1);
  expect(told).toBe(0);
});
