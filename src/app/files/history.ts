import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import type { Surroundings } from '../surroundings.ts';
import { documentOf, runFileOf } from './document.ts';
import { parseJson, readTextFile } from './text.ts';

/**
 * Reads the run documents of files and folders one by one, so that a caller can keep of each what it needs. In a folder
 * it reads each `run.json`, and JSON files that lie beside or below none; one that is no run document is left out
 * with a note.
 *
 * @throws ConfigurationError for a file that was named, as {@link documentOf} and {@link readTextFile}
 */
export async function* readHistory(
  paths: readonly string[],
  { cwd, note }: Pick<Surroundings, 'cwd' | 'note'>,
): AsyncGenerator<{ readonly path: string; readonly document: RunDocument }> {
  for (const given of paths) {
    const isFolder = (await runFileOf(given, { cwd })) !== given;
    for (const path of isFolder ? await filesIn(given, cwd) : [given]) {
      try {
        const json = parseJson(await readTextFile(path, cwd), path, 'DOCUMENT_NOT_JSON');
        yield { path, document: documentOf(json, path) };
      } catch (error) {
        if (!isFolder || !(error instanceof ConfigurationError)) throw error;
        note(`left out: ${error.message}`);
      }
    }
  }
}

async function filesIn(folder: string, cwd: string): Promise<string[]> {
  const found = await readdir(resolve(cwd, folder), { recursive: true });
  const files = found.filter((file) => file.endsWith('.json')).sort();
  const isRun = (file: string): boolean => basename(file) === 'run.json';
  const folders = files.filter(isRun).map((file) => join(sep, dirname(file), sep));
  const isBeside = (file: string): boolean =>
    folders.some((run) => join(sep, file).startsWith(run));
  return files.filter((file) => isRun(file) || !isBeside(file)).map((file) => join(folder, file));
}
