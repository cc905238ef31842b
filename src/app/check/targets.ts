import type { CheckTarget } from '../../conformance/index.ts';
import { type OpenTarget, openTarget } from '../open-target.ts';
import type { Surroundings } from '../surroundings.ts';
import { TOOL } from '../tool.ts';

/** Targets of a check: one, or the embedded server in both environments. */
export interface CheckTargets {
  readonly target: CheckTarget;
  /** The same service in the test environment; only where it is embedded. */
  readonly companion: CheckTarget | undefined;
}

const EMBEDDED = (['production', 'test'] as const).map((environment) => ({
  environment,
  controlPort: 0,
  version: TOOL.version,
}));

/**
 * Opens the targets of a check, and closes them when `act` is over. They start while `act` prepares the rest:
 * a mistake in that is reported before a failure of theirs.
 *
 * @param path of a profile, or an address; undefined for the embedded server
 * @throws ConfigurationError as openTarget, and as `act`
 */
export async function withTargets<T>(
  path: string | undefined,
  surroundings: Surroundings,
  act: (targets: Promise<CheckTargets>) => Promise<T>,
): Promise<T> {
  const opening = openTarget(path, { options: EMBEDDED }, surroundings);
  const targets = opening.then(targetsOf);
  targets.catch(() => undefined);
  try {
    return await act(targets);
  } finally {
    const { servers } = await opening.catch(() => ({ servers: null }));
    await servers?.close();
  }
}

async function targetsOf({ profile, servers }: OpenTarget): Promise<CheckTargets> {
  if (servers) return { target: profile, companion: servers.profiles[1] };
  const { readTarget } = await import('../../conformance/index.ts');
  return { target: readTarget(profile), companion: undefined };
}
