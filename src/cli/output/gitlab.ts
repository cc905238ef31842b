import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
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
  if (!isOnGitlab(io)) return;
  const { toCodeQuality } = await import('../../report/index.ts');
  const text = toCodeQuality(document, placeOf(target, io));
  await writeFiles(folder, { [CODE_QUALITY]: text }, notWritable(folder));
}

/**
 * Writes what ended a command early into the folder of `--out`, as {@link reportToGitlab}, unless that has a code
 * quality report already.
 */
export async function reportErrorToGitlab(
  message: string,
  { out, target }: { readonly out?: string; readonly target?: string },
  io: Pick<Io, 'cwd' | 'env' | 'secrets'>,
): Promise<void> {
  if (!isOnGitlab(io) || out === undefined) return;
  const folder = resolve(io.cwd, out);
  if (existsSync(join(folder, CODE_QUALITY))) return;
  const { errorToCodeQuality } = await import('../../report/index.ts');
  const text = errorToCodeQuality(io.secrets.hideIn(message), placeOf(target, io));
  // The error is on stderr, whatever becomes of this.
  await writeFiles(folder, { [CODE_QUALITY]: text }, notWritable(folder)).catch(() => undefined);
}

function isOnGitlab({ env }: Pick<Io, 'env'>): boolean {
  return !['', 'false'].includes(env['GITLAB_CI'] ?? '');
}

/** File of the repository that entries point to. */
function placeOf(target: string | undefined, { cwd, env }: Pick<Io, 'cwd' | 'env'>): string {
  const root = env['CI_PROJECT_DIR'] ?? cwd;
  return (
    pathInRepository(root, cwd, target) ??
    pathInRepository(root, root, env['CI_CONFIG_PATH']) ??
    PIPELINE
  );
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
