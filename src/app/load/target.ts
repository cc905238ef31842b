import type { TargetProfile } from '../../interface/target-profile.ts';
import type { LoadFlags, RunContext } from '../../load/index.ts';
import { ledgerFile } from '../../spending/index.ts';
import type { EmbeddedServers } from '../embedded/host.ts';
import { readTextFile } from '../files/text.ts';
import { openTarget } from '../open-target.ts';
import type { Surroundings } from '../surroundings.ts';

/** Surroundings of a run on a target that load may be put on; an embedded one has a `probeServer`. */
export interface LoadTarget extends RunContext {
  readonly profile: TargetProfile;
}

/** Targets, permission to put load on them, and the ledger of what is spent. */
export type AskedTargets = Pick<
  LoadFlags,
  'target' | 'against' | 'ledger' | 'serviceRestarted' | 'iMayLoadThisTarget'
>;

/**
 * Opens the target, and the base that it is compared with; closes them when `act` is over.
 *
 * @throws ConfigurationError `LOAD_NOT_PERMITTED`, as {@link openTarget}, and as `act`
 */
export async function withLoadTargets<T>(
  asked: AskedTargets,
  surroundings: Surroundings,
  act: (target: LoadTarget, base: LoadTarget | null) => Promise<T>,
): Promise<T> {
  const opened: EmbeddedServers[] = [];
  const open = async (path: string | undefined): Promise<LoadTarget> => {
    const embedded = { options: [{}], isMeasured: true };
    const { profile, servers } = await openTarget(path, embedded, surroundings);
    if (servers) opened.push(servers);
    const { load, cwd } = surroundings;
    const readText = (file: string): Promise<string> => readTextFile(file, cwd);
    const context = { ...load, readText, profile };
    // The server ends with the run, and so does what it spent.
    if (servers) return { ...context, ledger: 'none', probeServer: () => servers.probe() };
    // Before agents are waited for.
    const { requirePermission } = await import('../../load/index.ts');
    requirePermission(profile.baseUrl, asked.iMayLoadThisTarget);
    const ledger = ledgerFile(asked.ledger, surroundings, (line) => surroundings.note(line));
    const { serviceRestarted, iMayLoadThisTarget } = asked;
    return { ...context, ledger, serviceRestarted, iMayLoadThisTarget };
  };
  try {
    const target = await open(asked.target);
    return await act(target, asked.against === undefined ? null : await open(asked.against));
  } finally {
    await Promise.all(opened.map((servers) => servers.close()));
  }
}
