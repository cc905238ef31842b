import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkService, MACHINE_CLOCK } from '../../../../src/conformance/index.ts';
import { type Pause, RateLimiter } from '../../../../src/conformance/service/wire/rate-limit.ts';
import { describeProfile, startServer } from '../../../../src/server/index.ts';
import {
  judgeControlled,
  judgeMetered,
  RUN,
  withVerdict,
} from '../../../independent-service/judge.ts';
import { runClock } from '../../../independent-service/run-clock.ts';
import { STYLES } from '../../../independent-service/style.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** By the timers of the tests, which do not replace those of node:timers/promises. */
const pause: Pause = (forMs) => new Promise((resolve) => setTimeout(resolve, forMs));

it('spaces requests evenly, in bursts and late ones', async () => {
  const rateLimit = new RateLimiter(4, () => Date.now(), pause);
  const startMs = Date.now();
  const passed: number[] = [];
  const ask = async (): Promise<void> => {
    await rateLimit.turn();
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
  await new RateLimiter(null, () => 0, pause).turn();
  expect(vi.getTimerCount()).toBe(0);
});

it('ends a pause as the run is interrupted, and begins none after that', async () => {
  const stop = new AbortController();
  const pauses = (forMs: number): Promise<void> => MACHINE_CLOCK.sleep(forMs, stop.signal);
  const begun = pauses(600_000);
  stop.abort();
  await expect(begun).resolves.toBeUndefined();
  await expect(pauses(600_000)).resolves.toBeUndefined();
});

it('lets time pass by the clock that it is given, not by timers', async () => {
  const pausesMs: number[] = [];
  let nowMs = 0;
  const rateLimit = new RateLimiter(
    4,
    () => nowMs,
    async (forMs) => {
      pausesMs.push(forMs);
      nowMs += forMs;
    },
  );
  await rateLimit.turn();
  await rateLimit.turn();
  await rateLimit.rest('second');
  await rateLimit.rest('minute');
  await rateLimit.backOff('2', nowMs, 1);
  expect(pausesMs).toEqual([250, 1_200, 61_000, 2_000]);
  expect(vi.getTimerCount()).toBe(0);
});

it('is as fast as before once a refusal was none for the rate, and waits a minute for one that does not say so', async () => {
  const pausesMs: number[] = [];
  let nowMs = 0;
  const rateLimit = new RateLimiter(
    null,
    () => nowMs,
    async (forMs) => {
      pausesMs.push(forMs);
      nowMs += forMs;
    },
  );
  for (let sent = 0; sent < 30; sent++) await rateLimit.turn();
  for (let attempt = 1; attempt <= 6; attempt++)
    await rateLimit.backOff(undefined, nowMs, attempt, false);
  expect(Math.max(...pausesMs)).toBeLessThanOrEqual(61_000);
  expect(rateLimit.refusals).toBe(6);
  rateLimit.noteNoLimit();
  expect(rateLimit.refusals).toBe(0);
  pausesMs.length = 0;
  await rateLimit.turn();
  await rateLimit.turn();
  expect(pausesMs).toEqual([]);
});

describe('after a refusal for the rate', () => {
  const waited = async (waiting: Promise<unknown>): Promise<number> => {
    const startMs = Date.now();
    await vi.runAllTimersAsync();
    await waiting;
    return Date.now() - startMs;
  };

  it('waits longer each time, or as long as the target asks for', async () => {
    const rateLimit = new RateLimiter(null, () => Date.now(), pause);
    expect(await waited(rateLimit.backOff(undefined, Date.now(), 1))).toBe(200);
    expect(await waited(rateLimit.backOff(undefined, Date.now(), 2))).toBe(400);
    expect(await waited(rateLimit.backOff('2', Date.now(), 1))).toBe(2_000);
    expect(await waited(rateLimit.backOff('86400', Date.now(), 1))).toBe(5_000);
    expect(await waited(rateLimit.backOff('Wed, 21 Oct 2026 07:28:00 GMT', Date.now(), 1))).toBe(
      200,
    );
  });

  it('slows the run from the third on, and halves its rate with three that come a second later', async () => {
    const rateLimit = new RateLimiter(null, () => Date.now(), pause);
    const gapAfter = async (refusals: number): Promise<number> => {
      for (let number = 0; number < refusals; number++)
        await waited(rateLimit.backOff(undefined, Date.now(), 1));
      await waited(pause(1_000));
      await waited(rateLimit.turn());
      return waited(rateLimit.turn());
    };
    expect(await gapAfter(2)).toBe(0);
    expect(await gapAfter(1)).toBe(25);
    expect(await gapAfter(3)).toBe(50);
    for (let slowing = 0; slowing < 10; slowing++) await gapAfter(3);
    expect(await gapAfter(3)).toBe(500);
  });

  it('slows the run once for requests whose turn was set before, however many are refused', async () => {
    const rateLimit = new RateLimiter(null, () => Date.now(), pause);
    const turnMs = Date.now();
    for (let number = 0; number < 60; number++)
      await waited(rateLimit.backOff(undefined, turnMs, 1));
    await waited(rateLimit.turn());
    expect(await waited(rateLimit.turn())).toBe(25);
  });

  it('gives requests that are sent at once one turn, a second after those before', async () => {
    const rateLimit = new RateLimiter(null, () => Date.now(), pause);
    for (let number = 0; number < 3; number++)
      await waited(rateLimit.backOff(undefined, Date.now(), 1));
    await waited(rateLimit.turn());
    const group = {};
    expect(await waited(rateLimit.turn(group))).toBe(25 + 1_000);
    for (let number = 0; number < 7; number++) expect(await waited(rateLimit.turn(group))).toBe(0);
    expect(await waited(rateLimit.turn())).toBe(8 * 25);
  });

  it('keeps the turns of two groups whose requests alternate', async () => {
    const rateLimit = new RateLimiter(null, () => Date.now(), pause);
    for (let number = 0; number < 3; number++)
      await waited(rateLimit.backOff(undefined, Date.now(), 1));
    const [one, other] = [{}, {}];
    await waited(Promise.all([one, other, one, other, one].map((group) => rateLimit.turn(group))));
    expect(await waited(rateLimit.turn(one))).toBe(0);
    expect(await waited(rateLimit.turn(other))).toBe(0);
  });

  it('speeds the run up again, but not to a rate at which requests were refused', async () => {
    const rateLimit = new RateLimiter(null, () => Date.now(), pause);
    for (let number = 0; number < 12; number++)
      await waited(rateLimit.backOff(undefined, Date.now(), 1));
    const gaps: number[] = [];
    for (let turn = 0; turn < 160; turn++) gaps.push(await waited(rateLimit.turn()));
    expect([gaps[10], gaps[60], gaps[120]]).toEqual([50, 31, 31]);
  });
});

it('applies to each request of a run', async () => {
  vi.useRealTimers();
  const only = ['token/nostr-length'];
  const clock = runClock();
  const startNs = clock.monotonicNs();
  const { result } = await judgeMetered(STYLES[0]!, [], ['general'], { only, maxRate: 2, clock });
  expect(withVerdict(result, 'pass')).toEqual(only);
  // The first asks whether the target answers at all.
  const requests = result.exchanges.length - 1;
  expect(requests).toBeGreaterThan(3);
  expect((clock.monotonicNs() - startNs) / 1e9).toBeGreaterThanOrEqual((requests - 1) / 2);
});

it('is what a run keeps to at a target that limits estimates, and no rule fails', {
  timeout: 120_000,
}, async () => {
  vi.useRealTimers();
  const clock = runClock();
  const server = await startServer({
    behaviour: { 'estimate-rate-limit': { perSecond: 2 } },
    clock,
  });
  const result = await checkService({
    ...RUN,
    clock,
    target: describeProfile(server),
    only: ['estimate/platform', 'estimate/required-parameters', 'estimate/imei-optional'],
  });
  await server.close(0);
  expect(withVerdict(result, 'pass')).toHaveLength(3);
  expect(result.notes.join()).toContain('requests for its rate or its load (status 429)');
});

it('lets requests that are sent at once land together', { timeout: 60_000 }, async () => {
  vi.useRealTimers();
  const only = ['lifecycle/refresh-single-use-concurrent'];
  const result = await judgeControlled(STYLES[0]!, [], { only, maxRate: 20 });
  expect(withVerdict(result, 'pass')).toEqual(only);
});

describe('a target with a limit by the minute, or by five', () => {
  /** Sends requests one after the other; the target takes some in each window. */
  async function sendAll(count: number, limit: number, windowMs: number) {
    let nowMs = 0;
    const pauses: number[] = [];
    const rateLimit = new RateLimiter(
      null,
      () => nowMs,
      async (forMs) => {
        pauses.push(forMs);
        nowMs += forMs;
      },
    );
    const window = { startMs: 0, taken: 0 };
    let refused = 0;
    const isTaken = (): boolean => {
      if (nowMs - window.startMs >= windowMs) Object.assign(window, { startMs: nowMs, taken: 0 });
      return ++window.taken <= limit;
    };
    for (let sent = 0; sent < count; sent++) {
      for (let attempt = 1; attempt <= 7; attempt++) {
        await rateLimit.turn();
        const sentMs = (nowMs += 2);
        if (isTaken()) {
          rateLimit.noteAccepted(sentMs);
          break;
        }
        if (attempt === 7) refused++;
        else await rateLimit.backOff(undefined, sentMs, attempt);
      }
    }
    return { nowMs, refused, longest: Math.max(...pauses), perMinute: rateLimit.perMinute };
  }

  it('is learned once, and kept to', async () => {
    const { nowMs, refused, longest, perMinute } = await sendAll(1_500, 300, 60_000);
    expect(refused).toBe(0);
    expect(longest).toBeLessThanOrEqual(61_000);
    expect(perMinute).toBe(300);
    // The first 300 at once, a minute's rest, and the others at 285 a minute.
    expect(nowMs / 60_000).toBeLessThan(1 + 1_200 / 285 + 0.3);
  });

  it('is told from one by the second, which other requests keep full', async () => {
    const { refused, longest, perMinute } = await sendAll(400, 20, 1_000);
    expect(refused).toBe(0);
    expect(longest).toBeLessThan(3_000);
    expect(perMinute).toBeNull();
  });

  it('is waited for five minutes where one was not enough', async () => {
    const { refused, perMinute } = await sendAll(700, 300, 300_000);
    expect(refused).toBe(0);
    expect(perMinute).toBe(60);
  });

  it('is not supposed where the target never accepted many', async () => {
    const { refused, longest } = await sendAll(30, 5, 600_000);
    expect(refused).toBe(25);
    expect(longest).toBeLessThanOrEqual(5_000);
  });
});
