import type { RunDocument } from '../../documents/run-document.ts';
import type { Io } from '../io.ts';
import { type CiFlags, reportToCi } from './ci.ts';
import { noteRunFolder, prepareRunFolder, writeRunFiles } from './run-folder.ts';

/** Flags for the output of a document. */
export interface DeliveryFlags extends CiFlags {
  readonly out?: string;
}

/**
 * Delivers a document into its own run folder, as {@link deliverInto}.
 *
 * @param atMs time in the folder's name, ms since the epoch
 * @returns the folder
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`
 */
export async function deliverDocument(
  document: RunDocument,
  flags: DeliveryFlags,
  io: Io,
  atMs: number = Date.parse(document.startedAt),
): Promise<string> {
  const folder = await prepareRunFolder(io, document.kind, atMs, flags.out);
  await deliverInto(folder, document, flags, io);
  return folder;
}

/**
 * Writes a document's files into its run folder, prints it, and reports it to the CI service.
 *
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`
 */
export async function deliverInto(
  folder: string,
  document: RunDocument,
  flags: DeliveryFlags,
  io: Io,
): Promise<void> {
  await writeRunFiles(folder, document);
  await printDocument(document, flags, io);
  noteRunFolder(io, folder);
  await reportToCi(document, folder, flags, io);
}

/** Prints a document, as JSON or as text for the terminal. */
export async function printDocument(
  document: RunDocument,
  { json }: DeliveryFlags,
  { stdout, color }: Pick<Io, 'stdout' | 'color'>,
): Promise<void> {
  const { toConsole, toJson } = await import('../../report/index.ts');
  stdout.write(json ? toJson(document) : toConsole(document, { color }));
}
