import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RunDocument } from '../../documents/run-document.ts';
import { makeFolder } from '../../files/make-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { describeSystemError } from './system-error.ts';
import { type WriteFailure, writeFiles, writing } from './write.ts';

/**
 * Path of a run's folder: `out` if the user gave one, else `reports/<kind>-<UTC time>/`.
 *
 * @param atMs start of the run, milliseconds since the epoch
 */
export function runFolder(
  { cwd }: Pick<Surroundings, 'cwd'>,
  kind: string,
  atMs: number,
  out: string | undefined,
): string {
  const time = new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '-');
  return resolve(cwd, out ?? join('reports', `${kind}-${time}Z`));
}

/**
 * Creates the folder of a run before it starts, as {@link runFolder}. On a full disk there may be none: the
 * run is judged all the same.
 *
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`
 */
export async function prepareRunFolder(
  io: Pick<Surroundings, 'cwd'>,
  kind: string,
  atMs: number,
  out: string | undefined,
): Promise<string> {
  const folder = runFolder(io, kind, atMs, out);
  await unlessDiskFull(folder, () => makeFolder(folder));
  return folder;
}

/** Files of a run that `report` renders again from its `run.json`. */
const RENDERINGS = ['report.html', 'junit.xml', 'summary.md'] as const;

/**
 * Checks that files can be written into the folder of `--out`, before anything is sent; leaves no new folder. Removes
 * the renderings of a former run: they would be taken for those of a run that ends without a result.
 *
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`
 */
export async function clearOut({ cwd }: Pick<Surroundings, 'cwd'>, out: string): Promise<void> {
  const folder = resolve(cwd, out);
  await unlessDiskFull(folder, () => {
    const made = makeFolder(folder);
    rmdirSync(mkdtempSync(join(folder, '.writable-')));
    for (const name of RENDERINGS) rmSync(join(folder, name), { force: true });
    for (const empty of [...made].reverse()) rmdirSync(empty);
  });
}

async function unlessDiskFull(folder: string, act: () => unknown): Promise<void> {
  try {
    await writing(notWritable(folder), async () => act());
  } catch (error) {
    if (describeSystemError((error as Error).cause)?.code !== 'DISK_FULL') throw error;
  }
}

/**
 * Writes a run's files into its folder: `run.json`, `report.html`, `junit.xml` and `summary.md`, and more.
 *
 * @param more texts by path in the folder
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`
 */
export async function writeRunFiles(
  folder: string,
  document: RunDocument,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { toHtml, toJson, toJunit, toMarkdown } = await import('../../report/index.ts');
  const files = {
    'run.json': toJson(document),
    'report.html': toHtml([document]),
    'junit.xml': toJunit(document),
    'summary.md': toMarkdown(document),
    ...more,
  };
  await writeFiles(folder, files, notWritable(folder));
}

/** Removes the folder of a run that wrote nothing, if it is empty. */
export async function dropRunFolder(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

/** Error for a run folder that cannot be written. */
export function notWritable(folder: string): WriteFailure {
  return { code: 'RUN_FOLDER_NOT_WRITABLE', place: folder, option: 'out' };
}
