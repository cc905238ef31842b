import { SeededRandom, World } from '../../conformance/index.ts';
import type { TargetProfile } from '../../interface/index.ts';
import {
  describeProfile,
  type InProcessOptions,
  openInProcess,
  seededRandom,
} from '../../server/index.ts';

/** Reference servers in this process, and the way of a run to them; both sides live by one clock. */
export interface InProcessServers extends Pick<World, 'openTransport'> {
  readonly clock: World;
  /** Target profile of each server. */
  readonly profiles: readonly TargetProfile[];
}

/**
 * Opens reference servers in this process. The seed determines a run on them to the byte.
 *
 * @param startMs wall clock at the start, ms since the epoch
 */
export async function openServersInProcess(
  options: readonly InProcessOptions[],
  { seed, startMs }: { readonly seed: number; readonly startMs: number },
): Promise<InProcessServers> {
  const world = new World(startMs, new SeededRandom(seed));
  const profiles: TargetProfile[] = [];
  for (const [at, one] of options.entries()) {
    const random = seededRandom(seed + at);
    const server = await openInProcess({ ...one, clock: world, host: world.nextHost, random });
    world.join((request) => server.answer(request));
    profiles.push(describeProfile(server));
  }
  return { clock: world, openTransport: world.openTransport, profiles };
}
