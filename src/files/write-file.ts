import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Permissions of a file that only its owner can read. */
export const PRIVATE = 0o600;

/**
 * Writes a file whole, on disk when this returns: whatever ends the process, there is the former file or the
 * new one. A link in its place is replaced; what it leads to stays as it is.
 *
 * @param mode permissions, whatever those of a former file
 * @throws NodeJS.ErrnoException
 */
export function replaceFile(path: string, text: string, mode = 0o666): void {
  // A folder of its own, so that nobody can have put a link in the draft's place.
  const folder = mkdtempSync(join(dirname(path), `.${basename(path)}-`));
  try {
    const draft = join(folder, 'new');
    writeFileSync(draft, text, { flush: true, flag: 'wx', mode });
    if (mode === PRIVATE) chmodSync(draft, mode);
    renameSync(draft, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  syncFolder(dirname(path));
}

/** Thrown for a pipe, device or folder where a file is to be kept. */
export class NotAFileError extends Error {
  constructor() {
    super('it is not a regular file');
    this.name = 'NotAFileError';
  }
}

/**
 * Refuses what is there and is no regular file, before it is opened: that may wait for ever, or do something.
 *
 * @throws NotAFileError
 * @throws NodeJS.ErrnoException
 */
export function refuseOtherThanFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new NotAFileError();
}

/**
 * Opens a file to append to it, readable and writable by its owner alone, whatever its permissions were. Fails
 * for a link.
 *
 * @throws NotAFileError
 * @throws NodeJS.ErrnoException
 */
export function openPrivate(path: string): number {
  refuseOtherThanFile(path);
  // Some are undefined on Windows, where they add nothing.
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK, PRIVATE);
  try {
    const stat = fstatSync(file);
    // Another may have taken its place meanwhile.
    if (!stat.isFile()) throw new NotAFileError();
    if ((stat.mode & 0o777) !== PRIVATE) fchmodSync(file, PRIVATE);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/**
 * Appends to a private file, see {@link openPrivate}.
 *
 * @param flush true for text that is on disk when this returns
 * @throws NodeJS.ErrnoException
 */
export function appendPrivate(path: string, text: string, flush = false): void {
  const file = openPrivate(path);
  try {
    const bytes = Buffer.from(text);
    // A full disk may truncate a write; the next write then fails.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    if (flush) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Path of the file that a path leads to by its links, which need not exist.
 *
 * @throws NodeJS.ErrnoException `ELOOP` for links in a circle
 */
export function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const next = linkOf(path);
    return next === null ? resolve(path) : followLinks(resolve(dirname(path), next));
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** Writes the names of a folder to disk: a new file, or one that was renamed, is there from then on. */
export function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(path, 'r');
    fsyncSync(folder);
  } catch {
    // Windows opens no folders, and needs none of this.
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}
