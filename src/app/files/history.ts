import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import type { Surroundings } from '../surroundings.ts';
import { documentOf } from './document.ts';
import { parseJson, readTextFile } from './text.ts';

/** A document of a history, and the path of its file. */
export interface HistoryFile {
  readonly path: string;
  readonly document: RunDocument;
}

/**
 * Reads the run documents of files and folders one by one, so that a caller can keep of each what it needs. In a folder
 * it reads `run.json`; if there is none, each JSON file, and the folders in it. There, a file that is no run document
 * is left out with a note.
 *
 * @throws ConfigurationError for a file that was named, as {@link documentOf} and {@link readTextFile}
 */
export async function* readHistory(
  paths: readonly string[],
  { cwd, note }: Pick<Surroundings, 'cwd' | 'note'>,
): AsyncGenerator<HistoryFile> {
  const read = async (path: string): Promise<HistoryFile> => {
    const json = parseJson(await readTextFile(path, cwd), path, 'DOCUMENT_NOT_JSON');
    return { path, document: documentOf(json, path) };
  };
  for (const path of paths) {
    const isFolder = await stat(resolve(cwd, path)).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) {
      yield await read(path);
      continue;
    }
    for (const file of await runFilesIn(resolve(cwd, path))) {
      const name = join(path, relative(resolve(cwd, path), file));
      try {
        yield await read(name);
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        note(`left out: ${error.message}`);
      }
    }
  }
}

async function runFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some((entry) => entry.isFile() && entry.name === 'run.json')) {
    return [join(folder, 'run.json')];
  }
  const found = entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return runFilesIn(path);
      return entry.isFile() && entry.name.endsWith('.json') ? [path] : [];
    });
  return (await Promise.all(found)).flat();
}
