import type { RunDocument } from '../../documents/run-document.ts';
import type { Io } from '../io.ts';
import { reportToGithub } from './github.ts';
import { reportToGitlab } from './gitlab.ts';

/** Flags that the reports to a CI service depend on. */
export interface CiFlags {
  /** True if stdout gets only the document. */
  readonly json?: boolean;
  /** Target profile as the user gave it. */
  readonly target?: string;
}

/**
 * Reports a run to the CI service that it runs in, if there is one that is known.
 *
 * @param folder of the run
 */
export async function reportToCi(
  document: RunDocument,
  folder: string,
  { json, target }: CiFlags,
  io: Io,
): Promise<void> {
  await reportToGithub(document, { folder, ...(json && { json }) }, io);
  await io.deliver(() => reportToGitlab(document, { folder, target }, io));
}
