import type { RunDocument } from '../../report/index.ts';
import { type Io, print } from '../io.ts';
import { tellGithub } from './github.ts';
import { noteRunFolder, prepareRunFolder, writeRunFiles } from './run-folder.ts';

/**
 * Writes a document's files into its run folder, and prints it: as JSON and nothing else, or as text.
 *
 * @param atMs what the folder is named after, milliseconds since the epoch
 * @returns the folder
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`
 */
export async function deliverDocument(
  document: RunDocument,
  flags: { json?: true; out?: string },
  io: Io,
  atMs: number = Date.parse(document.startedAt),
): Promise<string> {
  const { toConsole, toJson } = await import('../../report/index.ts');
  const folder = await prepareRunFolder(io, document.kind, atMs, flags.out);
  await writeRunFiles(folder, document);
  print(io, flags.json ? toJson(document).trimEnd() : toConsole(document, { color: io.color }));
  noteRunFolder(io, folder);
  await tellGithub(document, flags, io);
  return folder;
}
