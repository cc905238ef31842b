import { ConfigurationError } from '../../interface/errors.ts';
import { isLoopback, type TargetProfile } from '../../interface/target-profile.ts';
import type { LoadFlags, RunContext } from '../../load/index.ts';
import { ledgerFile } from '../../spending/index.ts';
import { startEmbeddedServers } from '../embedded/server.ts';
import { readProfile } from '../files/profile.ts';
import type { Surroundings } from '../surroundings.ts';

/** A target that load may be put on. */
export interface LoadTarget {
  /** Parts of a run's surroundings. */
  readonly context: Pick<RunContext, 'profile' | 'probeServer' | 'ledger' | 'serviceRestarted'> & {
    readonly profile: TargetProfile;
  };
  close(): Promise<void>;
}

/** Flags that name the targets, permit load on them, and say where their spend is kept. */
export type TargetFlags = Pick<
  LoadFlags,
  'target' | 'against' | 'ledger' | 'serviceRestarted' | 'iMayLoadThisTarget'
>;

/**
 * Opens the target, and the base that it is compared with; closes them when `act` is over.
 *
 * @throws ConfigurationError `LOAD_NOT_PERMITTED` for an address beyond loopback without permission,
 *   and as `act`
 */
export async function withLoadTargets<T>(
  flags: TargetFlags,
  io: Surroundings,
  act: (target: LoadTarget, base: LoadTarget | null) => Promise<T>,
): Promise<T> {
  const opened: LoadTarget[] = [];
  const open = async (path: string | undefined): Promise<LoadTarget> => {
    const target = await openLoadTarget(path, flags, io);
    opened.push(target);
    return target;
  };
  try {
    const target = await open(flags.target);
    return await act(target, flags.against === undefined ? null : await open(flags.against));
  } finally {
    await Promise.all(opened.map((target) => target.close()));
  }
}

async function openLoadTarget(
  path: string | undefined,
  { ledger, serviceRestarted, iMayLoadThisTarget }: TargetFlags,
  io: Surroundings,
): Promise<LoadTarget> {
  const profile = path === undefined ? null : await readProfile(path, io);
  if (profile !== null && profile.baseUrl !== 'embedded') {
    requirePermission(profile.baseUrl, iMayLoadThisTarget);
    const file = ledgerFile(ledger, io, (message) => io.note(message));
    return {
      context: { profile, ledger: file, serviceRestarted },
      close: () => Promise.resolve(),
    };
  }
  const servers = await startEmbeddedServers([{}], true);
  return {
    // The server ends with the command, and so does what it spent.
    context: { profile: servers.profiles[0]!, ledger: 'none', probeServer: () => servers.probe() },
    close: () => servers.close(),
  };
}

/**
 * Refuses load on somebody else's service, which is an attack, unless they permit it.
 *
 * @throws ConfigurationError `LOAD_NOT_PERMITTED` for an address beyond loopback without permission
 */
export function requirePermission(baseUrl: string, iMayLoadThisTarget: boolean | undefined): void {
  if (isLoopback(baseUrl) || iMayLoadThisTarget) return;
  throw new ConfigurationError(
    'LOAD_NOT_PERMITTED',
    (name) =>
      `${baseUrl} is beyond this machine; if you may put load on it, confirm it with ${name('iMayLoadThisTarget')}.`,
  );
}
