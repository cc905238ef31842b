import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RunWatch, type WatchedRun } from '../../../src/load/watch/run-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A run of ten seconds that ends on a backlog of more than a second, with the backlog at each time. */
function watched(backlogS: (elapsedS: number) => number): WatchedRun {
  const startMs = Date.now();
  const elapsedMs = (): number => Date.now() - startMs;
  const clock = { now: Date.now, monotonicNs: () => elapsedMs() * 1e6 };
  return {
    load: {
      context: { clock },
      mostBacklogS: 1,
      plan: { warmupMs: 0, durationMs: 10_000 },
      abortOn: [],
    },
    onSecond: () => undefined,
    progress: {
      get backlogS() {
        return backlogS(elapsedMs() / 1000);
      },
    },
    startNs: 0,
  } as unknown as WatchedRun;
}

const endsAt = async (backlogS: (elapsedS: number) => number): Promise<[number, string | null]> => {
  const watch = new RunWatch(watched(backlogS));
  await vi.advanceTimersByTimeAsync(10_000);
  watch.stop();
  return [watch.measuredMs(), watch.abortedOn?.words ?? null];
};

it('ends once a backlog has grown twice in a row, and not for one that shrinks again', async () => {
  // Looked at each 300 ms: over the bound from 1.2 s on.
  expect(await endsAt((elapsedS) => elapsedS)).toEqual([1500, 'a backlog of more than 1 s']);
  expect(await endsAt((elapsedS) => elapsedS / 11)).toEqual([10_000, null]);
  expect(await endsAt((elapsedS) => 2 + (Math.round(elapsedS / 0.3) % 2))).toEqual([10_000, null]);
});
