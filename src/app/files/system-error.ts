/** Limits of the machine: code of the error, its cause, and the remedy. */
const LIMITS: Readonly<Record<string, readonly [code: string, cause: string, remedy: string]>> = {
  ENOSPC: ['DISK_FULL', 'no space is left on the disk', 'Free some.'],
  EDQUOT: ['DISK_FULL', 'the disk quota is used up', 'Free some space.'],
  EFBIG: ['FILE_TOO_LARGE', 'the file would be larger than allowed', 'Raise ulimit -f.'],
  EROFS: ['NOT_WRITABLE', 'the file system is read-only', 'Choose another place.'],
  ENOENT: ['NOT_WRITABLE', 'nothing can be created there', 'Choose another place.'],
  ENOTDIR: ['NOT_WRITABLE', 'a part of the path is not a folder', 'Choose another place.'],
  EISDIR: ['NOT_WRITABLE', 'it is a folder', 'Choose another place.'],
  EACCES: ['NO_PERMISSION', 'permission denied', 'Change its permissions.'],
  EPERM: ['NO_PERMISSION', 'operation not permitted', 'Change its permissions.'],
  EIO: ['DISK_FAILED', 'the disk reported an error', 'Check the disk.'],
  EMFILE: ['TOO_MANY_OPEN_FILES', 'too many open files in this process', 'Raise ulimit -n.'],
  ENFILE: ['TOO_MANY_OPEN_FILES', 'too many open files on this machine', 'Close other programs.'],
  ENOMEM: ['OUT_OF_MEMORY', 'no memory is left', 'Close other programs.'],
  EADDRNOTAVAIL: ['OUT_OF_PORTS', 'no local port is free', 'Wait, or open fewer connections.'],
};

/** An error of the operating system, in words for the user. */
export interface SystemError {
  /** Stable code, such as `DISK_FULL`. */
  readonly code: string;
  /** The cause, with the system's own code: `no space is left on the disk (ENOSPC)`. */
  readonly cause: string;
  /** The remedy, as a sentence. */
  readonly remedy: string;
  /** File or folder that it is about; null if unknown. */
  readonly path: string | null;
}

/** Describes an error of the operating system; null for any other error. */
export function describeSystemError(error: unknown): SystemError | null {
  if (!(error instanceof Error) || !('syscall' in error)) return null;
  const { code = '', path = null, message } = error as NodeJS.ErrnoException;
  const [name, cause, remedy] = LIMITS[code] ?? ['SYSTEM_ERROR', message, 'Run it again.'];
  return { code: name, cause: LIMITS[code] ? `${cause} (${code})` : cause, remedy, path };
}
