import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseDocument, type RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import type { Surroundings } from '../surroundings.ts';
import { parseJson, readTextFile } from './text.ts';

/** Path of a run document: that of a file, or of `run.json` in the folder of a run. */
export async function runFileOf(path: string, { cwd }: Pick<Surroundings, 'cwd'>): Promise<string> {
  const isFolder = await stat(resolve(cwd, path)).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? join(path, 'run.json') : path;
}

/**
 * Reads the document of a run by its path, or by that of its folder.
 *
 * @throws ConfigurationError `FILE_NOT_READ`, `DOCUMENT_NOT_JSON`, or as {@link documentOf}
 */
export async function readRun(
  path: string,
  io: Pick<Surroundings, 'cwd'>,
): Promise<{ readonly file: string; readonly document: RunDocument }> {
  const file = await runFileOf(path, io);
  const json = parseJson(await readTextFile(file, io.cwd), file, 'DOCUMENT_NOT_JSON');
  return { file, document: documentOf(json, file) };
}

/**
 * Reads the run document of a file.
 *
 * @param json content of the file
 * @param name of the file, which every message starts with
 * @throws ConfigurationError as {@link parseDocument}
 */
export function documentOf(json: unknown, name: string): RunDocument {
  try {
    return parseDocument(json);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.code, `${name}: ${error.message}`, { cause: error });
  }
}

/** Words for the kind of a document, such as `a certification`. */
export function kindWords(document: RunDocument): string {
  if (document.kind !== 'conformance') return `a document of kind ${document.kind}`;
  return document.side === 'client' ? 'a certification' : 'a check';
}
