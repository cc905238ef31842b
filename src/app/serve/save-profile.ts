import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { describeProfile, type RunningServer } from '../../server/index.ts';
import { writeSecretFile, writing } from '../files/write.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * Saves the profile of a running server; only its owner may read it, since it holds signing keys and
 * the token of the control API. A token from the environment stays there.
 *
 * @param certPath the server's own certificate, which the profile trusts; undefined without TLS
 * @throws ConfigurationError `PROFILE_NOT_WRITTEN`
 */
export async function saveProfile(
  path: string,
  server: RunningServer,
  certPath: string | undefined,
  { cwd, env }: Surroundings,
): Promise<void> {
  const profile = describeProfile(server);
  const chosenToken = env['FAREPROOF_CONTROL_TOKEN'];
  if (profile.control !== undefined && profile.control.token === chosenToken) {
    profile.control.token = '${FAREPROOF_CONTROL_TOKEN}';
  }
  if (certPath !== undefined) profile.ca = resolve(cwd, certPath);
  const text = `# The reference server of "fareproof serve"; valid while that server runs.\n${stringify(profile)}`;
  const failure = { code: 'PROFILE_NOT_WRITTEN', place: path, option: 'writeProfile' };
  await writing(failure, () => writeSecretFile(resolve(cwd, path), text));
}
