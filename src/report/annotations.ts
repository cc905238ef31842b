import type { RunDocument } from '../documents/run-document.ts';
import { escapeAnnotation, escapeAnnotationProperty } from './escape.ts';
import { findingsOf } from './text/findings.ts';

/**
 * Renders a run document as workflow commands of GitHub Actions, one a line: errors for what failed
 * or fell short, warnings for what else a reader should see. Empty if there is neither.
 */
export function toGithubAnnotations(document: RunDocument): string {
  return findingsOf(document)
    .map(
      ({ level, title, message }) =>
        `::${level} title=${escapeAnnotationProperty(title)}::${escapeAnnotation(message)}\n`,
    )
    .join('');
}
