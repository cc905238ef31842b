import { appendFile } from 'node:fs/promises';
import type { RunDocument } from '../../documents/run-document.ts';
import { type Io, note } from '../io.ts';

/**
 * Reports a run to GitHub Actions, if it runs there: a job summary (in the file of
 * `GITHUB_STEP_SUMMARY`), and an annotation for each failure (`GITHUB_ACTIONS`). Annotations go to
 * stdout, or to stderr if stdout gets JSON.
 */
export async function reportToGithub(
  document: RunDocument,
  flags: { readonly json?: true },
  io: Io,
): Promise<void> {
  const summary = io.env['GITHUB_STEP_SUMMARY'];
  if (summary) await appendSummary(summary, document, io);
  // Other tools set it to `false`.
  const actions = io.env['GITHUB_ACTIONS'];
  if (!actions || actions === 'false') return;
  const { toGithubAnnotations } = await import('../../report/index.ts');
  (flags.json ? io.stderr : io.stdout).write(toGithubAnnotations(document));
}

/** Notes a summary that cannot be written; the run keeps its verdict. */
async function appendSummary(path: string, document: RunDocument, io: Io): Promise<void> {
  const { toMarkdown } = await import('../../report/index.ts');
  try {
    await appendFile(path, `${toMarkdown(document)}\n`);
  } catch (error) {
    note(io, `GITHUB_STEP_SUMMARY: ${(error as Error).message}`);
  }
}
