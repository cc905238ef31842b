import { dirname, resolve } from 'node:path';
import { readCertificates, tryCertificates } from '../../files/certificates.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { type TargetProfile, targetProfileSchema } from '../../interface/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { isAddress, profileOfAddress } from './environment-profile.ts';
import { readYamlFile } from './yaml.ts';

/**
 * Reads the profile of a target, given by its path or its address.
 *
 * @throws ConfigurationError `ADDRESS_SCHEME`, or as {@link readProfileFile} and {@link profileOfAddress}
 */
export async function readProfile(
  target: string,
  io: Pick<Surroundings, 'cwd' | 'env' | 'secrets'>,
): Promise<TargetProfile> {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(target) ?? [];
  if (scheme !== undefined && !isAddress(target)) {
    const problem = `unsupported URL scheme "${scheme}"; use http or https.`;
    throw new ConfigurationError('ADDRESS_SCHEME', problem, { field: 'target' });
  }
  if (!isAddress(target)) return readProfileFile(target, io);
  const profile = profileOfAddress(target, io.env);
  await io.secrets.addProfile(profile);
  return profile;
}

/**
 * Reads the file of a target profile; certificate paths become absolute. Checks that certificates are readable
 * and fit their keys. No line that is printed shows its secrets.
 *
 * @throws ConfigurationError as {@link readYamlFile}
 */
export async function readProfileFile(
  path: string,
  io: Pick<Surroundings, 'cwd' | 'env' | 'secrets'>,
): Promise<TargetProfile> {
  const folder = dirname(resolve(io.cwd, path));
  const shape = targetProfileSchema.superRefine((profile, context) => {
    for (const { field, message } of tryCertificates(profile, folder).problems)
      context.addIssue({ code: 'custom', path: [field], message });
  });
  const profile = await readYamlFile(path, shape, io);
  const absolute = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(folder, file);
  const located = {
    ...profile,
    ca: absolute(profile.ca),
    cert: absolute(profile.cert),
    key: absolute(profile.key),
  };
  await io.secrets.addProfile({ ...located, tls: readCertificates(located) });
  return located;
}
