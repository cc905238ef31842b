import { parseDocument, type RunDocument } from '../documents/run-document.ts';
import * as report from '../report/index.ts';

/**
 * Renders a run document, or several, as one self-contained HTML page.
 *
 * @throws ConfigurationError as parseDocument
 */
export function toHtml(runs: RunDocument | readonly RunDocument[]): string {
  return report.toHtml(listOf(runs));
}

/** Renders a run document, or several, as Markdown, as for the summary of a job. Throws as {@link toHtml}. */
export function toMarkdown(runs: RunDocument | readonly RunDocument[]): string {
  return report.toMarkdown(...listOf(runs));
}

/** Renders a run document, or several, as JUnit XML. Throws as {@link toHtml}. */
export function toJUnit(runs: RunDocument | readonly RunDocument[]): string {
  return report.toJunit(...listOf(runs));
}

function listOf(runs: RunDocument | readonly RunDocument[]): readonly RunDocument[] {
  const given: readonly unknown[] = Array.isArray(runs) ? runs : [runs];
  return given.map((run) => parseDocument(run));
}
