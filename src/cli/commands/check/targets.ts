import { readTarget } from '../../../conformance/index.ts';
import { readProfile } from '../../files/profile.ts';
import type { Io } from '../../io.ts';
import { type CheckTargets, startEmbedded } from './embedded.ts';

/**
 * Reads the profile of a target, or starts the reference server twice.
 *
 * @throws ConfigurationError as {@link readProfile}
 */
export async function openTargets(path: string | undefined, io: Io): Promise<CheckTargets> {
  const profile = path === undefined ? null : await readProfile(path, io);
  if (profile === null || profile.baseUrl === 'embedded') return startEmbedded();
  return { target: readTarget(profile), companion: undefined, close: async () => {} };
}
