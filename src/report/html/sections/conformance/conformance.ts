import type { ConformanceDocument } from '../../../../documents/conformance.ts';
import { WORST_FIRST } from '../../../text/rule-words.ts';
import { shortText } from '../../blocks.ts';
import { evidenceOf } from '../../evidence/evidence.ts';
import type { EvidenceBudget } from '../../evidence/panels.ts';
import { type Content, html, type Markup } from '../../markup.ts';
import { verdictBadge, verdictClass } from '../../verdict-badge.ts';
import { notesList, targetFacts, verdictHeader } from '../../verdict-header.ts';
import { findingsPart, notJudgedPart } from './findings.ts';
import { RuleIds, rulesPart } from './rules.ts';
import { gapsPart, scenariosPart, spendPart, waiversPart } from './tables.ts';

/** A conformance run or a certification; its evidence is charged to the budget of the page. */
export function conformanceSection(
  document: ConformanceDocument,
  id: string,
  budget: EvidenceBudget,
): Markup {
  const evidence = evidenceOf(document, `${id}-x`, budget);
  const ids = new RuleIds(document, id);
  return html`${verdictHeader(document, `${id}-title`, [
    ...targetFacts(document.target),
    ['suite', shortText(document.suite, 300)],
    document.orders !== undefined && ['orders for users', document.orders ?? 'not declared'],
    ['seed', shortText(String(document.seed), 40)],
  ])}
    ${verdictCounts(document)}
    ${notesList(document)}
    ${findingsPart(document, id, ids)}
    ${scenariosPart(document, id)}
    ${rulesPart(document, id, ids, evidence)}
    ${notJudgedPart(document, id, ids)}
    ${waiversPart(document, id)}
    ${spendPart(document, id)}
    ${gapsPart(document, id)}`;
}

/** The rules by verdict, as a bar and in numbers. */
function verdictCounts({ summary, rules }: ConformanceDocument): Content {
  const present = WORST_FIRST.filter((verdict) => summary[verdict] > 0);
  const percent = (count: number): string =>
    `${((count / Math.max(1, rules.length)) * 100).toFixed(2)}%`;
  let before = 0;
  const segments = present.map((verdict) => {
    const x = percent(before);
    before += summary[verdict];
    const width = percent(summary[verdict]);
    return html`<rect class="fill-${verdictClass(verdict)}" x="${x}" width="${width}" height="100%"/>`;
  });
  const counts = present.map(
    (verdict) => html`<li>${verdictBadge(verdict)} <b>${summary[verdict]}</b></li>`,
  );
  return html`<div class="counts">
    <svg class="bar" aria-hidden="true" focusable="false">${segments}</svg>
    <ul>${counts}</ul>
    </div>`;
}
