import { PerformanceObserver } from 'node:perf_hooks';
import { readThreadUsage, type ServerReading, systemClock } from '../../load/index.ts';

/** Health of a thread that serves. */
export interface ThreadHealth {
  /** CPU, memory, event loop, garbage collection. */
  read(): ServerReading;
  close(): void;
}

/** Begins to observe the thread that calls this. */
export function observeThread(): ThreadHealth {
  let gcMs = 0;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) gcMs += duration;
  });
  collections.observe({ entryTypes: ['gc'] });
  const clock = systemClock();
  return {
    read: () => ({
      atNs: clock.monotonicNs(),
      ...readThreadUsage(),
      rssBytes: process.memoryUsage.rss(),
      gcMs,
    }),
    close: () => collections.disconnect(),
  };
}
