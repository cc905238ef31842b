import { dirname, resolve } from 'node:path';
import { type TargetProfile, targetProfileSchema } from '../../interface/index.ts';
import type { Io } from '../io.ts';
import { certificateProblems } from './certificates.ts';
import { profileProblems } from './profile-problems.ts';
import { readYamlFile } from './yaml.ts';

/**
 * Reads a target profile; certificate paths become absolute. Checks that certificates are readable
 * and fit their keys, and that header values can be sent.
 *
 * @throws ConfigurationError as {@link readYamlFile}
 */
export async function readProfileFile(
  path: string,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<TargetProfile> {
  const folder = dirname(resolve(io.cwd, path));
  const shape = targetProfileSchema.superRefine((profile, context) => {
    for (const { path: at, message } of profileProblems(profile))
      context.addIssue({ code: 'custom', path: at, message });
    for (const { field, message } of certificateProblems(profile, folder))
      context.addIssue({ code: 'custom', path: [field], message });
  });
  const profile = await readYamlFile(path, shape, io);
  const absolute = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(folder, file);
  return {
    ...profile,
    ca: absolute(profile.ca),
    cert: absolute(profile.cert),
    key: absolute(profile.key),
  };
}
