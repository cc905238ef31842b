import { noteRunFolder, runFolder, writeRunFiles } from '../../app/files/run-folder.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import type { Io } from '../io.ts';
import { type CiFlags, reportToCi } from './ci.ts';

/** Flags for the output of a document. */
export interface DeliveryFlags extends CiFlags {
  readonly out?: string;
}

/**
 * Delivers a document into its own run folder, as {@link deliverInto}.
 *
 * @param atMs time in the folder's name, ms since the epoch
 * @returns the folder
 */
export async function deliverDocument(
  document: RunDocument,
  flags: DeliveryFlags,
  io: Io,
  atMs: number = Date.parse(document.startedAt),
): Promise<string> {
  const folder = runFolder(io, document.kind, atMs, flags.out);
  await deliverInto(folder, document, flags, io);
  return folder;
}

/** Writes a document's files into its run folder, prints it, and reports it to the CI service. */
export async function deliverInto(
  folder: string,
  document: RunDocument,
  flags: DeliveryFlags,
  io: Io,
): Promise<void> {
  const isWritten = await io.deliver(() => writeRunFiles(folder, document));
  await printDocument(document, flags, io);
  if (isWritten) noteRunFolder(io, folder);
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
