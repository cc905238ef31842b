import type { TargetProfile } from '../interface/index.ts';
import type { EmbeddedOptions, EmbeddedServers } from './embedded/host.ts';
import { startEmbeddedServers } from './embedded/server.ts';
import type { Surroundings } from './surroundings.ts';

/** Target of a use case. */
export interface OpenTarget {
  readonly profile: TargetProfile;
  /** The embedded servers, the first of which is the target; null for a service of a profile. */
  readonly servers: EmbeddedServers | null;
}

/**
 * Reads the profile of a target, or starts embedded servers.
 *
 * @param path of a profile, or an address; undefined for the embedded servers
 * @throws ConfigurationError as readProfile
 */
export async function openTarget(
  path: string | undefined,
  embedded: { readonly options: readonly EmbeddedOptions[]; readonly isMeasured?: boolean },
  surroundings: Surroundings,
): Promise<OpenTarget> {
  if (path !== undefined) {
    const { readProfile } = await import('./files/profile.ts');
    const profile = await readProfile(path, surroundings);
    if (profile.baseUrl !== 'embedded') return { profile, servers: null };
  }
  const servers = await startEmbeddedServers(embedded.options, embedded.isMeasured);
  return { profile: servers.profiles[0]!, servers };
}
