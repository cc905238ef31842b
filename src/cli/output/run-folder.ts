import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { ConfigurationError } from '../../interface/errors.ts';
import type { RunDocument } from '../../report/index.ts';
import { type Io, note } from '../io.ts';

/**
 * Creates the folder of a run: `out` if the user gave one, else `reports/<kind>-<UTC time>/`.
 *
 * @param atMs start of the run, milliseconds since the epoch
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`
 */
export async function prepareRunFolder(
  io: Pick<Io, 'cwd'>,
  kind: string,
  atMs: number,
  out: string | undefined,
): Promise<string> {
  const time = new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '-');
  const folder = resolve(io.cwd, out ?? join('reports', `${kind}-${time}Z`));
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw notWritable(folder, error);
  }
  return folder;
}

/**
 * Writes a run's files into its folder: `run.json`, `report.html`, `junit.xml` and `summary.md`;
 * the page shows `pages` if it has more than the document itself.
 *
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`
 */
export async function writeRunFiles(
  folder: string,
  document: RunDocument,
  pages: readonly RunDocument[] = [document],
): Promise<void> {
  const { toHtml, toJson, toJunit, toMarkdown } = await import('../../report/index.ts');
  const files = {
    'run.json': toJson(document),
    'report.html': toHtml(pages),
    'junit.xml': toJunit(document),
    'summary.md': toMarkdown(document),
  };
  try {
    await Promise.all(
      Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)),
    );
  } catch (error) {
    throw notWritable(folder, error);
  }
}

/** Removes the folder of a run that wrote nothing, if it is empty. */
export async function dropRunFolder(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

/** Prints the path of the report. */
export function noteRunFolder(io: Io, folder: string): void {
  const shown = relative(io.cwd, folder);
  note(io, `report: ${join(shown.startsWith('..') ? folder : shown, 'report.html')}`);
}

function notWritable(folder: string, error: unknown): ConfigurationError {
  const { code } = error as NodeJS.ErrnoException;
  return new ConfigurationError(
    'RUN_FOLDER_NOT_WRITABLE',
    `${folder}: the run's files cannot be written (${code}); choose another folder with --out.`,
    { cause: error },
  );
}
