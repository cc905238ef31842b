import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { notWritable } from '../../app/files/run-folder.ts';
import { writeFiles } from '../../app/files/write.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import type { Io } from '../io.ts';

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
  const root = io.env['CI_PROJECT_DIR'] ?? io.cwd;
  const path =
    pathInRepository(root, io.cwd, target) ??
    pathInRepository(root, root, io.env['CI_CONFIG_PATH']) ??
    PIPELINE;
  await writeFiles(folder, { [CODE_QUALITY]: toCodeQuality(document, path) }, notWritable(folder));
}

/**
 * Path of a file from the root of the repository, with slashes and without `./`; null for what is no
 * file in it: a target by its URL, a pipeline of another project (`jobs.yml@group/project`).
 */
function pathInRepository(root: string, folder: string, file: string | undefined): string | null {
  if (file === undefined) return null;
  const whole = resolve(folder, file);
  const path = relative(root, whole).replaceAll(sep, '/');
  const isInside = path !== '' && path !== '..' && !path.startsWith('../') && path !== whole;
  return isInside && existsSync(whole) ? path : null;
}
