import { PerformanceObserver } from 'node:perf_hooks';
import type { TargetProfile } from '../../interface/index.ts';
import { readThreadUsage, type ServerReading, systemClock } from '../../load/index.ts';
import { describeProfile, startServer } from '../../server/index.ts';

/** Request to the thread of the embedded server. */
export interface EmbeddedRequest {
  id: number;
  kind: 'start' | 'probe' | 'close';
}

/** Response of the thread of the embedded server. */
export type EmbeddedAnswer =
  | { id: number; kind: 'started'; profile: TargetProfile }
  | { id: number; kind: 'reading'; reading: ServerReading }
  | { id: number; kind: 'closed' }
  | { id: number; kind: 'failed'; message: string };

/** The embedded reference server, on its own event loop. */
export interface EmbeddedServer {
  /** Target profile of the server. */
  profile: TargetProfile;
  /** Health of the server: CPU, memory, event loop, garbage collection. */
  probe(): Promise<ServerReading>;
  /** Stops it; requests in flight are answered. */
  close(): Promise<void>;
}

/** Starts the reference server in the thread that calls this, on any free port of loopback. */
export async function openEmbeddedServer(): Promise<EmbeddedServer> {
  let gcMs = 0;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) gcMs += duration;
  });
  collections.observe({ entryTypes: ['gc'] });
  const server = await startServer({ host: '127.0.0.1', port: 0 });
  const clock = systemClock();
  return {
    profile: describeProfile(server),
    probe: async (): Promise<ServerReading> => ({
      atNs: clock.monotonicNs(),
      ...readThreadUsage(),
      rssBytes: process.memoryUsage.rss(),
      gcMs,
    }),
    close: async () => {
      collections.disconnect();
      await server.close();
    },
  };
}
