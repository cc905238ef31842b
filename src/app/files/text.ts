import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ConfigurationError } from '../../interface/errors.ts';

/** Decoders that leave out a byte order mark, or keep it. */
const UTF8 = {
  'without-bom': new TextDecoder('utf-8', { fatal: true }),
  'with-bom': new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }),
};

/** Bytes of the longest input: far beyond a run document, and an end for devices without one. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Causes for which a file cannot be read, by the code of the system. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder; give a file',
  EACCES: 'permission denied (EACCES)',
};

/**
 * Reads a whole UTF-8 stream, such as stdin.
 *
 * @throws ConfigurationError `INPUT_NOT_UTF8` or `INPUT_TOO_LONG`
 */
export async function readStream(
  stream: Readable,
  name: string,
  bom: keyof typeof UTF8 = 'without-bom',
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk as Uint8Array);
    bytes += buffer.length;
    if (bytes > MOST_BYTES) {
      const most = MOST_BYTES / 1024 / 1024;
      throw new ConfigurationError('INPUT_TOO_LONG', `${name}: longer than ${most} MiB.`);
    }
    chunks.push(buffer);
  }
  return decode(Buffer.concat(chunks), name, UTF8[bom]);
}

/**
 * Reads a whole UTF-8 file, its path resolved against `cwd`.
 *
 * @param name stands for the file in errors; given where the path may be a secret that was set in its place
 * @throws ConfigurationError `FILE_NOT_READ`, or as {@link readStream}
 */
export async function readTextFile(
  path: string,
  cwd: string,
  bom?: 'with-bom',
  name: string = path,
): Promise<string> {
  try {
    return await readStream(openInput(resolve(cwd, path)), name, bom);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    const why = REASONS[code] ?? `it cannot be read (${code})`;
    throw new ConfigurationError('FILE_NOT_READ', `${name}: ${why}.`, { cause: error });
  }
}

/**
 * Opens a file, or a pipe such as that of a process substitution. A pipe without a writer is waited for by the event
 * loop: a thread that waits would keep the process from ending.
 *
 * @throws NodeJS.ErrnoException
 */
function openInput(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream('', { fd });
}

/**
 * Parses JSON.
 *
 * @param source beginning of the message, such as the name of the file
 * @throws ConfigurationError with that code
 */
export function parseJson(text: string, source: string, code: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Some messages quote the text, which may be a secret.
    const place = / at position \d+( \(.*\))?$/.exec((error as SyntaxError).message)?.[0] ?? '';
    throw new ConfigurationError(code, `${source} is not valid JSON${place}.`, { cause: error });
  }
}

function decode(bytes: Buffer, name: string, utf8: (typeof UTF8)[keyof typeof UTF8]): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new ConfigurationError('INPUT_NOT_UTF8', `${name}: not UTF-8 text.`, { cause: error });
  }
}
