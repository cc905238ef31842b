import { join } from 'node:path';
import type { WriteStream } from 'node:tty';
import { runFolder, writeRunFiles } from '../../app/files/run-folder.ts';
import { shownPath } from '../../app/files/write.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import type { Io } from '../io.ts';
import { reportToGithub } from './github.ts';
import { reportToGitlab } from './gitlab.ts';

/** Flags for the output of a document. */
export interface DeliveryFlags {
  /** True if stdout gets only the document. */
  readonly json?: boolean;
  /** Target profile as the user gave it. */
  readonly target?: string;
  readonly out?: string;
}

/**
 * Delivers a document into its own run folder, as {@link deliverInto}.
 *
 * @param more what is written besides, and the time in the folder's name, ms since the epoch
 */
export async function deliverDocument(
  document: RunDocument,
  flags: DeliveryFlags,
  io: Io,
  { atMs = Date.parse(document.startedAt), ...more }: MoreOutput & { readonly atMs?: number } = {},
): Promise<void> {
  await deliverInto(runFolder(io, document.kind, atMs, flags.out), document, flags, io, more);
}

/** Files of a run besides those of every run. */
interface MoreOutput {
  /** Texts by path in the folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Renders it for stdout; left out, as a terminal shows a run. */
  readonly toText?: ((document: RunDocument) => string) | undefined;
  /** Says where they are. */
  readonly note?: () => void;
}

/**
 * Writes a document's files into its run folder, prints it, reports it to the CI service, and sets the exit
 * code that it has.
 */
export async function deliverInto(
  folder: string,
  document: RunDocument,
  flags: DeliveryFlags,
  io: Io,
  { files, note, toText }: MoreOutput = {},
): Promise<void> {
  const isWritten = await io.deliver(() => writeRunFiles(folder, document, files));
  const { toConsole, toJson } = await import('../../report/index.ts');
  const { stdout, color } = io;
  const { columns } = stdout as Partial<WriteStream>;
  const shown = toText?.(document) ?? toConsole(document, { color, columns });
  stdout.write(flags.json ? toJson(document) : shown);
  if (isWritten) {
    io.note(`report: ${shownPath(join(folder, 'report.html'), io)}`);
    note?.();
  }
  await reportToGithub(document, { folder, json: flags.json }, io);
  await io.deliver(() => reportToGitlab(document, { folder, target: flags.target }, io));
  if (document.exit) io.exit(document.exit.code);
}
