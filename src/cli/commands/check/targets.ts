import type { CheckTarget } from '../../../conformance/index.ts';
import { startEmbeddedServers } from '../../embedded/server.ts';
import type { Io } from '../../io.ts';
import { TOOL } from '../../tool.ts';

/** Targets of a check: one, or the embedded server in both environments. */
export interface CheckTargets {
  readonly target: CheckTarget;
  /** The same service in the test environment; only where it is embedded. */
  readonly companion: CheckTarget | undefined;
  /** Stops the servers that were started. */
  close(): Promise<void>;
}

/** Starts the reference server in both environments. */
export async function startEmbedded(): Promise<CheckTargets> {
  const options = { controlPort: 0, version: TOOL.version };
  const servers = await startEmbeddedServers([
    { ...options, environment: 'production' },
    { ...options, environment: 'test' },
  ]);
  const [target, companion] = servers.profiles;
  return { target: target!, companion: companion!, close: () => servers.close() };
}

/**
 * Reads the profile of a target, or starts the reference server twice.
 *
 * @throws ConfigurationError as readProfile
 */
export async function openTargets(path: string | undefined, io: Io): Promise<CheckTargets> {
  if (path === undefined) return startEmbedded();
  const { readProfile } = await import('../../files/profile.ts');
  const profile = await readProfile(path, io);
  if (profile.baseUrl === 'embedded') return startEmbedded();
  const { readTarget } = await import('../../../conformance/index.ts');
  return { target: readTarget(profile), companion: undefined, close: async () => {} };
}
