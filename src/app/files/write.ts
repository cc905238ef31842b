import { statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';
import { followLinks, PRIVATE, replaceFile } from '../../files/write-file.ts';
import { ConfigurationError, FareproofError } from '../../interface/errors.ts';
import type { Surroundings } from '../surroundings.ts';
import { describeSystemError } from './system-error.ts';

/** Error for files that cannot be written. */
export interface WriteFailure {
  /** Code of the error. */
  readonly code: string;
  /** File or folder as the user named it. */
  readonly place: string;
  /** Option that names another place, such as `out`. */
  readonly option: string;
}

/**
 * Runs an action that writes files.
 *
 * @throws ConfigurationError with the code and the words of `failure`, and FareproofErrors of the action
 */
export async function writing<T>(failure: WriteFailure, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof FareproofError ? error : notWritten(failure, error);
  }
}

function notWritten({ code, place, option }: WriteFailure, cause: unknown): ConfigurationError {
  const why = describeSystemError(cause)?.cause ?? String(cause);
  return new ConfigurationError(
    code,
    (name) => `${place}: cannot be written: ${why}. Choose another place with ${name(option)}.`,
    { cause },
  );
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
  const failed = Object.entries(files).flatMap(([name, text]) => {
    const file = join(folder, name);
    try {
      makeFolder(dirname(file));
      replaceFile(file, text);
      return [];
    } catch (error) {
      return [{ name, error }];
    }
  });
  const [first] = failed;
  if (!first) return;
  const names = failed.map(({ name }) => name).join(', ');
  const place =
    failed.length === Object.keys(files).length ? failure.place : `${failure.place}: ${names}`;
  throw notWritten({ ...failure, place }, first.error);
}

/**
 * Writes a file that only its owner can read, whatever the permissions of a former one. A pipe or a
 * device is written to as it is.
 *
 * @throws NodeJS.ErrnoException
 */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  const file = followLinks(path);
  const former = statSync(file, { throwIfNoEntry: false });
  if (former && !former.isFile() && !former.isDirectory()) writeFileSync(file, text);
  else replaceFile(file, text, PRIVATE);
}

/** Path as it is shown to the user: relative if it is inside of the current folder. */
export function shownPath(path: string, { cwd }: Pick<Surroundings, 'cwd'>): string {
  const inside = relative(cwd, path);
  return inside.startsWith('..') ? path : inside || path;
}
