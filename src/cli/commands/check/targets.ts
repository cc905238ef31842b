import type { CheckTarget } from '../../../conformance/index.ts';
import { startEmbeddedServers } from '../../embedded/server.ts';
import { readProfileFile, readTlsTexts } from '../../files/profile.ts';
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

/**
 * Reads the profile of a target, or starts the reference server twice.
 *
 * @throws ConfigurationError as {@link readProfileFile}
 */
export async function openTargets(path: string | undefined, io: Io): Promise<CheckTargets> {
  const profile = path === undefined ? null : await readProfileFile(path, io);
  if (profile === null || profile.baseUrl === 'embedded') return startEmbedded();
  const target = { ...profile, tls: await readTlsTexts(profile, io) };
  return { target, companion: undefined, close: async () => {} };
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
