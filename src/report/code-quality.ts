import { createHash } from 'node:crypto';
import type { RunDocument } from '../documents/run-document.ts';
import { oneLine } from './escape.ts';
import { type Finding, findingsOf } from './text/findings.ts';

/** One entry of GitLab's code quality report, of the fields that GitLab reads. */
interface CodeQualityEntry {
  description: string;
  check_name: string;
  fingerprint: string;
  severity: 'major' | 'minor';
  location: { path: string; lines: { begin: number } };
}

/**
 * Renders a run document as a code quality report of GitLab: an entry for each failure and each
 * warning. A failure has the same fingerprint in every run, so that a merge request shows which are
 * new and which are gone.
 *
 * @param path file of the repository that the entries point to, with slashes
 */
export function toCodeQuality(document: RunDocument, path: string): string {
  return renderFindings(document.kind, findingsOf(document), path);
}

/** Renders what ended a command without a run document, as {@link toCodeQuality}. */
export function errorToCodeQuality(message: string, path: string): string {
  return renderFindings('error', [{ level: 'error', title: 'fareproof', message }], path);
}

function renderFindings(kind: string, findings: readonly Finding[], path: string): string {
  const seen = new Map<string, number>();
  const entries = findings.map(({ level, title, message }): CodeQualityEntry => {
    const identity = [kind, path, title].join('\n');
    const times = seen.get(identity) ?? 0;
    seen.set(identity, times + 1);
    return {
      description: oneLine(`${title}: ${message}`),
      check_name: oneLine(title),
      fingerprint: createHash('sha256').update(`${identity}\n${times}`).digest('hex'),
      severity: level === 'error' ? 'major' : 'minor',
      location: { path, lines: { begin: 1 } },
    };
  });
  return `${JSON.stringify(entries, null, 2)}\n`;
}
