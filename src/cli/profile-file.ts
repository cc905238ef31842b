import { dirname, resolve } from 'node:path';
import { type TargetProfile, targetProfileSchema } from '../interface/index.ts';
import type { Io } from './io.ts';
import { readYamlFile } from './yaml-file.ts';

/**
 * Reads a target profile; paths of certificates become absolute, resolved against its folder.
 *
 * @throws ConfigurationError as {@link readYamlFile}
 */
export async function readProfileFile(
  path: string,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<TargetProfile> {
  const profile = await readYamlFile(path, targetProfileSchema, io);
  const folder = dirname(resolve(io.cwd, path));
  const absolute = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(folder, file);
  return {
    ...profile,
    ca: absolute(profile.ca),
    cert: absolute(profile.cert),
    key: absolute(profile.key),
  };
}
