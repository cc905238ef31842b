import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { describeProfile, type RunningServer } from '../../../server/index.ts';
import { writing } from '../../files/write.ts';
import type { Io } from '../../io.ts';

/**
 * Writes the profile of a running server; only its owner may read it, since it holds signing keys and
 * the token of the control API. A token from the environment stays there.
 *
 * @param certPath the server's own certificate, which the profile trusts; undefined without TLS
 * @throws ConfigurationError `PROFILE_NOT_WRITTEN`
 */
export async function writeProfile(
  path: string,
  server: RunningServer,
  certPath: string | undefined,
  io: Io,
): Promise<void> {
  const profile = describeProfile(server);
  const chosenToken = io.env['FAREPROOF_CONTROL_TOKEN'];
  if (profile.control !== undefined && profile.control.token === chosenToken) {
    profile.control.token = '${FAREPROOF_CONTROL_TOKEN}';
  }
  if (certPath !== undefined) profile.ca = resolve(io.cwd, certPath);
  const text = `# The reference server of "fareproof serve"; valid while that server runs.\n${stringify(profile)}`;
  const failure = { code: 'PROFILE_NOT_WRITTEN', place: path, flag: '--write-profile' };
  await writing(failure, () => writeFile(resolve(io.cwd, path), text, { mode: 0o600 }));
}
