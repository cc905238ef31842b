import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '../../interface/errors.ts';
import { shownPath, writeFiles } from '../files/write.ts';
import type { Surroundings } from '../surroundings.ts';
import type { KnownService } from './read-service.ts';
import { schemaLine } from './schema-line.ts';
import { EXAMPLE, type ProfileFacts, SUITE_TEMPLATE, targetTemplate } from './templates.ts';

/** Files to start from. */
export interface WrittenStart {
  /** Paths as they are shown. */
  readonly target: string;
  readonly suite: string;
  readonly partnerId: string;
  /** Variables of the environment that the profile refers to. */
  readonly variables: ProfileFacts['variables'];
  /** Null for a profile to fill in. */
  readonly service: KnownService | null;
}

/**
 * Writes a target profile and a suite to start from.
 *
 * @param read reads the service that the profile is of; undefined for a profile to fill in
 * @throws ConfigurationError `FILE_EXISTS`, `FOLDER_NOT_WRITABLE`, or as `read`
 */
export async function writeStart(
  { dir, force }: { readonly dir: string; readonly force: boolean },
  read: (() => Promise<KnownService>) | undefined,
  surroundings: Pick<Surroundings, 'cwd'>,
): Promise<WrittenStart> {
  const folder = resolve(surroundings.cwd, dir);
  const shown = (name: string): string => shownPath(join(folder, name), surroundings);
  const there = ['target.yaml', 'suite.yaml'].filter((name) => existsSync(join(folder, name)));
  if (there.length > 0 && !force) {
    throw new ConfigurationError(
      'FILE_EXISTS',
      (name) =>
        `${there.map(shown).join(', ')}: already exists, nothing was written; choose another folder with ${name('dir')}, or overwrite with ${name('force')}.`,
    );
  }
  const service = (await read?.()) ?? null;
  const { partnerId, ...facts } = service?.facts ?? EXAMPLE;
  const files = {
    'target.yaml': schemaLine('target-profile', folder) + targetTemplate({ partnerId, ...facts }),
    'suite.yaml': schemaLine('suite', folder) + SUITE_TEMPLATE,
  };
  await writeFiles(folder, files, { code: 'FOLDER_NOT_WRITABLE', place: dir, option: 'dir' });
  return {
    target: shown('target.yaml'),
    suite: shown('suite.yaml'),
    partnerId,
    variables: facts.variables,
    service,
  };
}
