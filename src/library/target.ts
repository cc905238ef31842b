import { KnownSecrets } from '../app/known-secrets.ts';
import { openTarget } from '../app/open-target.ts';
import type { Surroundings } from '../app/surroundings.ts';
import {
  ConfigurationError,
  readTargetProfile,
  type TargetProfile,
  type TargetProfileInput,
} from '../interface/index.ts';
import type { RunContext } from '../load/index.ts';
import { describeProfile, type RunningServer } from '../server/index.ts';
import {
  type LedgerChoice,
  type LedgerSource,
  memoryLedger,
  PROCESS_PLACE,
} from '../spending/index.ts';

/**
 * A service to judge or to load: a server of `startServer`, a target profile, the path of a profile, or an address
 * such as `http://127.0.0.1:8080`. The partner of an address comes from `FAREPROOF_PARTNER_ID` and
 * `FAREPROOF_SIGNING_KEY`.
 */
export type Target = RunningServer | TargetProfileInput | string;

/** Options that every run on a service can be given beside its target. */
export interface TargetOptions {
  /**
   * Ledger of the token requests that the profile's partners spend: a source of `ledgerFile`, or `'none'`. Default
   * the one that the command uses; of a server of `startServer`, one that ends with it.
   */
  readonly ledger?: LedgerChoice | undefined;
  /** True for a service that was restarted, and has no memory of earlier runs. Default false. */
  readonly serviceRestarted?: boolean | undefined;
  /** Ends the run early; what was found or measured until then is returned. */
  readonly signal?: AbortSignal | undefined;
}

/** A target that is open: its profile, and the ledger of what is spent there. */
export interface OpenedTarget extends Pick<RunContext, 'probeServer'> {
  readonly profile: TargetProfile;
  /** The embedded service in the test environment, of a profile whose address is `embedded`. */
  readonly companion?: TargetProfile | undefined;
  readonly ledger: LedgerChoice | undefined;
}

const EMBEDDED = (['production', 'test'] as const).map((environment) => ({
  environment,
  controlPort: 0,
}));

/** Ledgers of servers of this process: what was spent ends with them. */
const ofServers = new WeakMap<object, LedgerSource>();

/**
 * Opens a target, and closes it when `act` is over.
 *
 * @throws ConfigurationError `TARGET_INVALID` for anything but a {@link Target}; `PROFILE_INVALID`, and as the file of a
 *   profile is read
 */
export async function withTarget<T>(
  target: unknown,
  { ledger, signal }: TargetOptions,
  act: (opened: OpenedTarget) => Promise<T>,
  field = 'target',
): Promise<T> {
  if (typeof target === 'string') {
    const embedded = { options: EMBEDDED, isMeasured: true };
    const { profile, servers } = await openTarget(target, embedded, libraryProcess(signal));
    if (servers === null) return act({ profile, ledger });
    try {
      const [, companion] = servers.profiles;
      return await act({ profile, companion, ledger: 'none', probeServer: () => servers.probe() });
    } finally {
      await servers.close();
    }
  }
  if (typeof target === 'object' && target !== null) {
    if ('close' in target && 'clock' in target) {
      const profile = describeProfile(target as RunningServer);
      return act({ profile, ledger: ledger ?? ledgerOfServer(target) });
    }
    if ('baseUrl' in target) {
      return act({ profile: readTargetProfile(target as TargetProfileInput), ledger });
    }
  }
  throw new ConfigurationError(
    'TARGET_INVALID',
    'is no service: give a server of startServer, a profile, its path, or an address.',
    { field },
  );
}

function ledgerOfServer(server: object): LedgerSource {
  const ledger = memoryLedger();
  const known = ofServers.get(server) ?? { open: async () => ledger };
  ofServers.set(server, known);
  return known;
}

/** Access of the library to its process: it prints nothing, and is interrupted by its signal alone. */
export function libraryProcess(signal: AbortSignal | undefined): Surroundings {
  return {
    env: PROCESS_PLACE.env,
    cwd: PROCESS_PLACE.cwd,
    secrets: new KnownSecrets(),
    note: () => undefined,
    interruption: () => signal ?? new AbortController().signal,
  };
}
