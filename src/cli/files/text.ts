import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ConfigurationError } from '../../interface/errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a whole UTF-8 stream, such as stdin.
 *
 * @throws ConfigurationError `INPUT_NOT_UTF8`
 */
export async function readStream(stream: Readable, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return decode(Buffer.concat(chunks), name);
}

/**
 * Reads a whole UTF-8 file, its path resolved against `cwd`.
 *
 * @throws ConfigurationError `FILE_NOT_READ` or `INPUT_NOT_UTF8`
 */
export async function readTextFile(path: string, cwd: string): Promise<string> {
  try {
    return decode(await readFile(resolve(cwd, path)), path);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`;
    throw new ConfigurationError('FILE_NOT_READ', `${path}: ${why}.`, { cause: error });
  }
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
    const { message } = error as SyntaxError;
    throw new ConfigurationError(code, `${source}: ${message}.`, { cause: error });
  }
}

function decode(bytes: Buffer, name: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new ConfigurationError('INPUT_NOT_UTF8', `${name}: not UTF-8 text.`, { cause: error });
  }
}
