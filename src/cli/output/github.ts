import { appendFile } from 'node:fs/promises';
import type { RunDocument } from '../../report/index.ts';
import { type Io, note } from '../io.ts';

/**
 * Tells GitHub Actions of a run, where it runs there: a summary for the page of the job
 * (`GITHUB_STEP_SUMMARY` names its file), and an annotation for each thing that is broken
 * (`GITHUB_ACTIONS`). Annotations go to stdout, or to stderr where stdout holds JSON.
 */
export async function tellGithub(
  document: RunDocument,
  flags: { readonly json?: true },
  io: Io,
): Promise<void> {
  const summary = io.env['GITHUB_STEP_SUMMARY'];
  if (summary) await appendSummary(summary, document, io);
  // Set by other tools too, to say that they are not it.
  const actions = io.env['GITHUB_ACTIONS'];
  if (!actions || actions === 'false') return;
  const { toGithubAnnotations } = await import('../../report/index.ts');
  (flags.json ? io.stderr : io.stdout).write(toGithubAnnotations(document));
}

/** A summary that cannot be written is a pity, and no reason to lose the run's verdict. */
async function appendSummary(path: string, document: RunDocument, io: Io): Promise<void> {
  const { toMarkdown } = await import('../../report/index.ts');
  try {
    await appendFile(path, `${toMarkdown(document)}\n`);
  } catch (error) {
    note(io, `GITHUB_STEP_SUMMARY: ${(error as Error).message}`);
  }
}
