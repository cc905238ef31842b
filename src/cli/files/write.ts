import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { ConfigurationError } from '../../interface/errors.ts';
import type { Io } from '../io.ts';
import { makeFolder } from './make-folder.ts';
import { describeSystemError } from './system-error.ts';

/** Error for files that cannot be written. */
export interface WriteFailure {
  /** Code of the error. */
  readonly code: string;
  /** File or folder as the user named it. */
  readonly place: string;
  /** Flag that names another place, such as `--out`. */
  readonly flag: string;
}

/**
 * Runs an action that writes files.
 *
 * @throws ConfigurationError with the code and the words of `failure`
 */
export async function writing<T>(failure: WriteFailure, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw notWritten(failure, error);
  }
}

function notWritten({ code, place, flag }: WriteFailure, cause: unknown): ConfigurationError {
  const why = describeSystemError(cause)?.cause ?? String(cause);
  const message = `${place}: cannot be written: ${why}. Choose another place with ${flag}.`;
  return new ConfigurationError(code, message, { cause });
}

/**
 * Writes files into a folder; it and its subfolders are created first.
 *
 * @param files texts by path in the folder
 * @throws ConfigurationError as {@link writing}, naming the files that were not written if others were
 */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  failure: WriteFailure,
): Promise<void> {
  // At once: each waits for the disk.
  const writes = Object.entries(files).map(async ([name, text]) => {
    const file = join(folder, name);
    const write = (): Promise<void> =>
      makeFolder(dirname(file)).then(() => replaceFile(file, text));
    return write().then(
      () => [],
      (error: unknown) => [{ name, error }],
    );
  });
  const failed = (await Promise.all(writes)).flat();
  const [first] = failed;
  if (!first) return;
  const names = failed.map(({ name }) => name).join(', ');
  const place = failed.length === writes.length ? failure.place : `${failure.place}: ${names}`;
  throw notWritten({ ...failure, place }, first.error);
}

/**
 * Writes a file that only its owner can read, whatever the permissions of a former one. A pipe or a
 * device is written to as it is.
 *
 * @throws NodeJS.ErrnoException
 */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  const file = await realpath(path).catch(() => path);
  const former = await stat(file).catch(() => null);
  if (former !== null && !former.isFile() && !former.isDirectory()) await writeFile(file, text);
  else await replaceFile(file, text, 0o600);
}

/** Writes a file whole: whatever ends the process, there is the former file or the new one. */
async function replaceFile(file: string, text: string, mode = 0o666): Promise<void> {
  const draft = `${file}.${process.pid}.new`;
  try {
    // A draft of another process, or a link in its place, would keep its own permissions.
    await rm(draft, { force: true });
    await writeFile(draft, text, { flush: true, flag: 'wx', mode });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Path as it is shown to the user: relative if it is inside of the current folder. */
export function shownPath(path: string, { cwd }: Pick<Io, 'cwd'>): string {
  const inside = relative(cwd, path);
  return inside.startsWith('..') ? path : inside || path;
}
