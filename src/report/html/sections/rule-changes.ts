import type { RuleChange, RuleChanges } from '../../../documents/rule-changes.ts';
import type { RuleComparisonDocument } from '../../../documents/rule-comparison.ts';
import type { RuleVerdict } from '../../../documents/rule-verdict.ts';
import { column } from '../../text/columns.ts';
import {
  type ChangeRow,
  changeRows,
  comparedFacts,
  kindOutcome,
  reasonWords,
  verdictOrDash,
} from '../../text/rule-changes.ts';
import { type Fact, part, shortText, table } from '../blocks.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { verdictBadge, verdictHeader } from '../verdict.ts';

/** Rules that are shown. */
const ROW_LIMIT = 200;

/** Two checks, or two certifications, compared rule by rule. */
export function ruleComparisonSection(document: RuleComparisonDocument, id: string): Markup {
  const runs = comparedFacts(document).map(([name, words]): Fact => [name, shortText(words, 400)]);
  return html`${verdictHeader(document, id, runs)}
    ${changesPart('Changes', `${id}-changes`, document)}`;
}

/**
 * The rules that have changed between two runs, or are still broken; null if there are none.
 *
 * @param ruleOf name of a rule, which may be a link
 */
export function changesPart(
  title: string,
  id: string,
  changes: RuleChanges,
  ruleOf: (change: RuleChange) => Content = ({ rule }) =>
    html`<code>${shortText(rule, 200)}</code>`,
): Content {
  const rows = changeRows(changes).slice(0, ROW_LIMIT);
  if (rows.length === 0) return null;
  const columns = [
    column('rule', ruleOf),
    column('change', ({ kind }: ChangeRow) => kindOutcome(kind)),
    column('verdict', ({ before, after }: ChangeRow) => {
      return html`${verdictCell(before)} → ${verdictCell(after)}`;
    }),
    column('reason', reasonWords),
  ];
  return part(title, id, table(title, columns, rows, { isProse: true }));
}

const verdictCell = (verdict: RuleVerdict | null): Content =>
  verdict === null ? verdictOrDash(verdict) : verdictBadge(verdict);
