import { join, relative, resolve, sep } from 'node:path';
import type { RunDocument } from '../../documents/run-document.ts';
import { writeFiles } from '../files/write.ts';
import type { Io } from '../io.ts';
import { notWritable } from './run-folder.ts';

/** Name of the code quality report in the folder of a run. */
const CODE_QUALITY = 'code-quality.json';

/** Default file of a pipeline's jobs. */
const PIPELINE = '.gitlab-ci.yml';

/**
 * Writes a code quality report into the folder of a run, if it runs in GitLab CI (`GITLAB_CI`). Its
 * entries point to the target profile, or to the pipeline's file if there is none in the repository.
 *
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`
 */
export async function reportToGitlab(
  document: RunDocument,
  { folder, target }: { folder: string; target: string | undefined },
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<void> {
  if (!io.env['GITLAB_CI'] || io.env['GITLAB_CI'] === 'false') return;
  const { toCodeQuality } = await import('../../report/index.ts');
  const path = pathInRepository(target, io) ?? io.env['CI_CONFIG_PATH'] ?? PIPELINE;
  await writeFiles(folder, { [CODE_QUALITY]: toCodeQuality(document, path) }, notWritable(folder));
}

/** Path of a file from the root of the repository, with slashes; null if it is outside. */
function pathInRepository(
  file: string | undefined,
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
): string | null {
  if (file === undefined) return null;
  const root = env['CI_PROJECT_DIR'] ?? cwd;
  const path = relative(root, resolve(cwd, file));
  return path === '' || path.startsWith('..') || resolve(path) === path
    ? null
    : join(path).replaceAll(sep, '/');
}
