import {
  inProcess,
  type OpenTransport,
  type RunClock,
  SeededRandom,
  WorldClock,
} from '../../conformance/index.ts';
import type { TargetProfile } from '../../interface/index.ts';
import {
  describeProfile,
  type InProcessOptions,
  openInProcess,
  seededRandom,
} from '../../server/index.ts';

/** Reference servers in this process, and the way of a run to them; both sides live by one clock. */
export interface World {
  readonly clock: RunClock;
  readonly openTransport: OpenTransport;
  /** Target profile of each server. */
  readonly profiles: readonly TargetProfile[];
}

/**
 * Opens reference servers in this process. The seed determines a run on them to the byte.
 *
 * @param startMs wall clock at the start, ms since the epoch
 */
export async function openWorld(
  options: readonly InProcessOptions[],
  { seed, startMs }: { readonly seed: number; readonly startMs: number },
): Promise<World> {
  const clock = new WorldClock(startMs);
  const servers = await Promise.all(
    options.map((one, at) =>
      openInProcess({
        ...one,
        clock,
        host: `127.0.0.${at + 1}`,
        random: seededRandom(seed + at),
      }),
    ),
  );
  const openTransport = inProcess(
    (request) => {
      const server = servers.find(({ hostname }) => hostname === request.url.hostname);
      if (!server) throw new Error(`nothing answers at ${request.url.hostname}`);
      return server.answer(request);
    },
    clock,
    new SeededRandom(seed),
  );
  return { clock, openTransport, profiles: servers.map(describeProfile) };
}
