import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  truncateSync,
} from 'node:fs';
import { dirname } from 'node:path';
import {
  appendPrivate,
  openPrivate,
  PRIVATE,
  replaceFile,
  syncFolder,
} from '../files/write-file.ts';

/** Thrown where a line of another writer stands before the one just written. */
export class ForeignWriteError extends Error {
  constructor() {
    super('another process writes to the file');
    this.name = 'ForeignWriteError';
  }
}

/** Thrown for a file with a truncated last line and a second name, which a repaired one would not have. */
export class SecondNameError extends Error {
  constructor() {
    super('its last line is cut off, and it has a second name (a hard link)');
    this.name = 'SecondNameError';
  }
}

/**
 * A file in which each line is a claim. A claim is valid once it is on disk directly after the last
 * line that its writer has read. If two writers share the file in spite of its lock, the second finds
 * the first one's line before its own, and does not do what it claimed.
 *
 * Needs atomic appends (`O_APPEND`), as on local file systems. On NFS, two hosts may overwrite each
 * other's line, and the one that reads back its own line last does not notice.
 */
export class ClaimLog {
  readonly #path: string;
  #known: number;

  private constructor(path: string, known: number) {
    this.#path = path;
    this.#known = known;
  }

  /**
   * Opens the file, creating it if needed, and passes its lines to `keep`, without a truncated last
   * line. Only its owner can read it from then on.
   *
   * @param keep returns the lines to keep; the others are dropped, unless the file has a second name (a hard
   *   link), which would stay with the old content
   * @throws NotAFileError, SecondNameError
   * @throws NodeJS.ErrnoException
   */
  static open(path: string, keep: (lines: readonly string[]) => readonly string[]): ClaimLog {
    const file = openPrivate(path);
    try {
      // A claim in a file that a crash removes would be none.
      syncFolder(dirname(path));
      const bytes = readFileSync(file);
      const end = bytes.lastIndexOf('\n') + 1;
      const isWhole = end === bytes.length;
      const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
      const kept = keep(lines);
      const hasSecondName = fstatSync(file).nlink > 1;
      if (isWhole && (hasSecondName || kept.length === lines.length))
        return new ClaimLog(path, end);
      if (hasSecondName) throw new SecondNameError();
      return new ClaimLog(path, replace(path, kept, file, bytes.length));
    } finally {
      closeSync(file);
    }
  }

  /**
   * Writes a line, on disk when this returns. Of one that cannot be written whole nothing is left.
   *
   * @param line unlike any other, without a line break
   * @throws ForeignWriteError if another wrote since this log last read the file
   * @throws NodeJS.ErrnoException
   */
  claim(line: string): void {
    const mine = Buffer.from(`${line}\n`);
    try {
      appendPrivate(this.#path, `${line}\n`, true);
    } catch (error) {
      this.#cutOff(mine);
      throw error;
    }
    if (!readFrom(this.#path, this.#known, mine.length).equals(mine)) throw new ForeignWriteError();
    this.#known += mine.length;
  }

  /** Removes the beginning of a line that a full disk cut off, or the next one would continue it. */
  #cutOff(line: Buffer): void {
    try {
      const rest = readFrom(this.#path, this.#known, line.length + 1);
      // What another wrote after it was not granted either, and stays.
      if (line.subarray(0, rest.length).equals(rest)) truncateSync(this.#path, this.#known);
    } catch {
      // The error of the write says more, and what is left is found when the file is opened next.
    }
  }
}

/**
 * Puts a shorter file in the place of the old one. A line that another appended to the old one
 * meanwhile is carried over, so that no claim is lost.
 *
 * @param old the old file, open for reading, of which `read` bytes are known
 * @returns the size of the new one
 */
function replace(path: string, lines: readonly string[], old: number, read: number): number {
  const text = lines.map((line) => `${line}\n`).join('');
  replaceFile(path, text, PRIVATE);
  const late = fstatSync(old).size - read;
  if (late > 0) {
    const bytes = Buffer.alloc(late);
    readSync(old, bytes, 0, late, read);
    appendPrivate(path, bytes.toString(), true);
  }
  return Buffer.byteLength(text);
}

function readFrom(path: string, offset: number, length: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  } finally {
    closeSync(file);
  }
}
