import type { TargetProfile } from '../../interface/index.ts';
import type { ServerReading } from '../../load/index.ts';
import { describeProfile, type ServerOptions, startServer } from '../../server/index.ts';

/** Options of an embedded server, which has any free port of loopback. */
export type EmbeddedOptions = Omit<ServerOptions, 'host' | 'port'>;

/** Request to the thread of the embedded servers. */
export type ThreadRequest = 'probe' | 'close';

/** The embedded reference servers, on their own event loop. */
export interface EmbeddedServers {
  /** Target profile of each server. */
  profiles: readonly TargetProfile[];
  /** Health of their thread: CPU, memory, event loop, garbage collection. */
  probe(): Promise<ServerReading>;
  /** Stops them; requests in flight are answered. */
  close(): Promise<void>;
}

/**
 * Starts reference servers in the thread that calls this.
 *
 * @param isMeasured true if their health may be asked for: what reads it takes long to load
 */
export async function openEmbeddedServers(
  options: readonly EmbeddedOptions[],
  isMeasured = false,
): Promise<EmbeddedServers> {
  const health = isMeasured ? (await import('./health.ts')).observeThread() : null;
  const servers = await Promise.all(
    options.map((one) => startServer({ ...one, host: '127.0.0.1', port: 0 })),
  );
  return {
    profiles: servers.map(describeProfile),
    probe: async () => {
      if (health) return health.read();
      throw new Error('its health is not measured');
    },
    close: async () => {
      health?.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
