import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shownPath } from '../../app/files/write.ts';
import { judgedCount } from '../../documents/judged-count.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import type { Io } from '../io.ts';

/**
 * Reports a run to GitHub Actions, if it runs there: a job summary (in the file of
 * `GITHUB_STEP_SUMMARY`), the outputs of the step (`GITHUB_OUTPUT`), and an annotation for each failure
 * (`GITHUB_ACTIONS`). Annotations go to stdout, or to stderr if stdout gets JSON.
 */
export async function reportToGithub(
  document: RunDocument,
  { folder, json }: { readonly folder: string; readonly json?: boolean | undefined },
  io: Io,
): Promise<void> {
  if (io.env['GITHUB_STEP_SUMMARY']) {
    const { toMarkdown } = await import('../../report/index.ts');
    await append('GITHUB_STEP_SUMMARY', `${toMarkdown(document)}\n`, io);
  }
  if (io.env['GITHUB_OUTPUT']) {
    await append('GITHUB_OUTPUT', stepOutputs(document, folder, io), io);
  }
  if (!isOnActions(io)) return;
  const { toGithubAnnotations } = await import('../../report/index.ts');
  (json ? io.stderr : io.stdout).write(toGithubAnnotations(document));
}

/**
 * Reports to GitHub Actions, if the command runs there, what a command that ended early wrote to stderr: in
 * the job summary, and as an annotation on stderr.
 */
export async function reportErrorToGithub(message: string, io: Io): Promise<void> {
  if (!io.env['GITHUB_STEP_SUMMARY'] && !isOnActions(io)) return;
  const { escapeAnnotation, escapeMarkdown } = await import('../../report/index.ts');
  const text = io.secrets.hideIn(message);
  if (io.env['GITHUB_STEP_SUMMARY'])
    await append('GITHUB_STEP_SUMMARY', `## Fareproof\n\n${escapeMarkdown(text)}\n\n`, io);
  if (isOnActions(io)) io.stderr.write(`::error title=Fareproof::${escapeAnnotation(text)}\n`);
}

/** True in a job of GitHub Actions; other tools set the variable to `false`. */
function isOnActions({ env }: Io): boolean {
  return !['', 'false'].includes(env['GITHUB_ACTIONS'] ?? '');
}

/** `verdict`, `judged` of a conformance run, and `report`, a line each. */
function stepOutputs(document: RunDocument, folder: string, io: Io): string {
  const outputs = {
    verdict: verdictOf(document),
    judged: document.kind === 'conformance' ? judgedCount(document.summary) : '',
    report: shownPath(join(folder, 'report.html'), io),
  };
  // A line break in a path would start another output.
  const lines = Object.entries(outputs).map(([name, value]) =>
    `${name}=${value}`.replaceAll(/[\r\n]/g, ' '),
  );
  return `${lines.join('\n')}\n`;
}

/** Of several runs that of the worst; empty for a benchmark, which has none. */
function verdictOf(document: RunDocument): string {
  if (document.kind === 'bench') return '';
  if (document.kind !== 'load-set') return document.verdict;
  const verdicts = new Set(document.runs.map(({ verdict }) => verdict));
  return (['fell-short', 'invalid', 'held'] as const).find((one) => verdicts.has(one)) ?? '';
}

/** Notes a file that cannot be written; the run keeps its verdict. */
async function append(variable: string, text: string, io: Io): Promise<void> {
  try {
    await appendFile(io.env[variable] ?? '', text);
  } catch (error) {
    io.note(`${variable}: ${(error as Error).message}`);
  }
}
