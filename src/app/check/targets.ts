import type { CheckTarget } from '../../conformance/index.ts';
import { startEmbeddedServers } from '../embedded/server.ts';
import type { Surroundings } from '../surroundings.ts';
import { TOOL } from '../tool.ts';

/** Targets of a check: one, or the embedded server in both environments. */
export interface CheckTargets {
  readonly target: CheckTarget;
  /** The same service in the test environment; only where it is embedded. */
  readonly companion: CheckTarget | undefined;
  /** Stops the servers that were started. */
  close(): Promise<void>;
}

/**
 * Opens the targets of a check, and closes them when `act` is over. They start while `act` prepares the rest:
 * a mistake in that is reported before a failure of theirs.
 *
 * @param path of a profile, or an address; undefined for the embedded server
 * @throws ConfigurationError as readProfile, and as `act`
 */
export async function withTargets<T>(
  path: string | undefined,
  surroundings: Surroundings,
  act: (targets: Promise<CheckTargets>) => Promise<T>,
): Promise<T> {
  const opening = openTargets(path, surroundings);
  opening.catch(() => undefined);
  try {
    return await act(opening);
  } finally {
    await opening.then(
      (targets) => targets.close(),
      () => undefined,
    );
  }
}

async function openTargets(
  path: string | undefined,
  surroundings: Surroundings,
): Promise<CheckTargets> {
  if (path === undefined) return startEmbedded();
  const { readProfile } = await import('../files/profile.ts');
  const profile = await readProfile(path, surroundings);
  if (profile.baseUrl === 'embedded') return startEmbedded();
  const { readTarget } = await import('../../conformance/index.ts');
  return { target: readTarget(profile), companion: undefined, close: async () => {} };
}

/** Starts the reference server in both environments. */
async function startEmbedded(): Promise<CheckTargets> {
  const options = { controlPort: 0, version: TOOL.version };
  const servers = await startEmbeddedServers([
    { ...options, environment: 'production' },
    { ...options, environment: 'test' },
  ]);
  const [target, companion] = servers.profiles;
  return { target: target!, companion: companion!, close: () => servers.close() };
}
