import { ConfigurationError } from '../../../interface/errors.ts';
import type { TargetProfile } from '../../../interface/index.ts';
import type { Allowance, ServerReading } from '../../../load/index.ts';
import { startEmbeddedServer } from '../../embedded/server.ts';
import { readProfileFile } from '../../files/profile.ts';
import type { Io } from '../../io.ts';
import { allowanceInLedger } from './allowance.ts';

/** A target that load may be put on. */
export interface LoadTarget {
  profile: TargetProfile;
  /** Reads the target's own side; null where it cannot be seen. */
  probe: (() => Promise<ServerReading>) | null;
  /** What its token requests are taken from; null where none is metered. */
  allowance: Allowance | null;
  close(): Promise<void>;
}

/**
 * Opens the target of a profile, or the embedded server where none is named.
 *
 * @param ledger the file that keeps what its partners spend; undefined for the default place
 * @throws ConfigurationError `LOAD_NOT_PERMITTED` for an address beyond loopback without permission
 */
export async function openLoadTarget(
  path: string | undefined,
  permitted: boolean,
  io: Io,
  ledger?: string,
): Promise<LoadTarget> {
  const profile = path === undefined ? null : await readProfileFile(path, io);
  if (profile !== null && profile.baseUrl !== 'embedded') {
    const { isLoopback } = await import('../../../load/index.ts');
    const { baseUrl, control } = profile;
    const isNear = isLoopback(baseUrl);
    if (!isNear && !permitted) throw refusedTarget(baseUrl);
    const asksBeyond = isNear && ledger === undefined && control === undefined;
    const allowance = allowanceInLedger({ baseUrl, path: ledger, asksBeyond }, io);
    return { profile, probe: null, allowance, close: () => Promise.resolve() };
  }
  const server = await startEmbeddedServer();
  return {
    profile: server.profile,
    probe: () => server.probe(),
    allowance: null,
    close: () => server.close(),
  };
}

/** Load on somebody else's service is an attack; whoever asks for it says that it may be. */
function refusedTarget(baseUrl: string): ConfigurationError {
  return new ConfigurationError(
    'LOAD_NOT_PERMITTED',
    `${baseUrl} is beyond this machine; if you may put load on it, say so with --i-may-load-this-target.`,
  );
}
