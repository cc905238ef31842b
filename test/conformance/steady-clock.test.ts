import { expect, it } from 'vitest';
import { ClockSteps, steadyClock } from '../../src/conformance/steady-clock.ts';

const NOON = Date.UTC(2026, 2, 2, 12);

/** A machine whose clocks are moved by hand. */
function machine(hasUptime = true) {
  let wallMs = NOON;
  let passedMs = 0;
  let uptimeMs = 5_000_000;
  const clocks = { now: () => wallMs, monotonicNs: () => 1e6 * passedMs };
  const { now, steps } = steadyClock(hasUptime ? { ...clocks, uptimeMs: () => uptimeMs } : clocks);
  return {
    now,
    stepsSince: (fromMs: number) => steps.within(fromMs)?.byMs,
    pass: (ms: number) => {
      wallMs += ms;
      passedMs += ms;
      uptimeMs += ms;
    },
    set: (byMs: number) => (wallMs += byMs),
    suspend: (ms: number) => {
      wallMs += ms;
      uptimeMs += ms;
    },
  };
}

it.each([1_000, -1_000, 30_000, -30_000, 3_600_000, -3_600_000])(
  'runs as before when the wall clock is set by %s ms',
  (byMs) => {
    const { now, pass, set } = machine();
    pass(500);
    set(byMs);
    pass(500);
    expect(now()).toBe(NOON + 1_000);
    set(-byMs);
    pass(500);
    expect(now()).toBe(NOON + 1_500);
  },
);

it('tells by how much the wall clock was set, from the last look on', () => {
  const { now, pass, set, stepsSince } = machine();
  pass(500);
  now();
  pass(500);
  set(-30_000);
  pass(500);
  expect(stepsSince(NOON)).toBe(-30_000);
  pass(1_000);
  expect(stepsSince(NOON + 1_499)).toBe(-30_000);
  expect(stepsSince(NOON + 1_500)).toBeUndefined();
});

it('takes a clock that is slewed for one that was not set', () => {
  const { pass, set, stepsSince } = machine();
  for (let minute = 0; minute < 600; minute++) {
    pass(60_000);
    set(30);
    expect(stepsSince(0)).toBeUndefined();
  }
});

it('counts the time in which the machine was suspended, and tells of it', () => {
  const { now, pass, set, suspend, stepsSince } = machine();
  pass(1_000);
  suspend(28_800_000);
  pass(1_000);
  set(2_000);
  expect(now()).toBe(NOON + 28_802_000);
  expect(stepsSince(NOON)).toBe(28_802_000);
  set(-3_600_000);
  pass(1_000);
  expect(now()).toBe(NOON + 28_803_000);
});

it('tells of a suspension that the machine does not count', () => {
  const { now, pass, suspend, stepsSince } = machine(false);
  suspend(28_800_000);
  pass(1_000);
  expect(now()).toBe(NOON + 1_000);
  expect(stepsSince(0)).toBe(28_800_000);
});

it('keeps the latest steps only', () => {
  const steps = new ClockSteps();
  for (let at = 0; at < 2_000; at++) steps.note({ fromMs: at, toMs: at + 1, byMs: 5_000 });
  expect(steps.within(0, 900)).toBeUndefined();
  expect(steps.within(0)?.fromMs).toBe(1_000);
});
