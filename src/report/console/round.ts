import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { RuleChange } from '../../documents/rule-changes.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { escapeTerminalLine } from '../escape.ts';
import { headlineOf, verdictWords } from '../text/headline.ts';
import { formatSpan } from '../text/quantities.ts';

/** Rules that a line names. */
const NAMED = 12;

/** The verdict of a round of checks in a line, and what has changed since the last one in three. */
export function roundText(document: RunDocument): string {
  const { startedAt, finishedAt } = document;
  const verdict = `${verdictWords(headlineOf(document))}, ${formatSpan(startedAt, finishedAt)}`;
  const lines = [verdict, ...(document.kind === 'conformance' ? changeLines(document) : [])];
  return lines.map((line) => `${escapeTerminalLine(line)}\n`).join('');
}

function changeLines({ against }: ConformanceDocument): string[] {
  if (against === undefined) return [];
  const { fixed, newlyBroken, newlyTried = [], stillBroken, noLongerJudged } = against;
  const lost = noLongerJudged.length > 0 ? `; no longer judged: ${namesOf(noLongerJudged)}` : '';
  return [
    `newly broken: ${namesOf([...newlyBroken, ...newlyTried])}${lost}`,
    `fixed: ${namesOf(fixed)}`,
    `still broken: ${namesOf(stillBroken)}`,
  ];
}

function namesOf(changes: readonly RuleChange[]): string {
  const more = changes.length > NAMED ? [`${changes.length - NAMED} more`] : [];
  return [...changes.slice(0, NAMED).map(({ rule }) => rule), ...more].join(', ') || 'none';
}
