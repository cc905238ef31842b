import type { ConformanceDocument } from '../../../../documents/conformance.ts';
import { countOf } from '../../../text/quantities.ts';
import {
  groupByReason,
  notableVerdicts,
  rulesWith,
  suiteWords,
  WORST_FIRST,
} from '../../../text/rule-words.ts';
import { badge, type Fact, part, prose, shortText } from '../../blocks.ts';
import { type EvidenceBudget, evidenceOf } from '../../evidence/evidence.ts';
import { type Content, html, type Markup } from '../../markup.ts';
import { targetFacts, verdictBadge, verdictClass, verdictHeader } from '../../verdict.ts';
import { changesPart } from '../rule-changes.ts';
import { type RuleSection, ruleLink, rulesPart } from './rules.ts';
import { gapsPart, scenariosPart, spendPart, waiversPart } from './tables.ts';

/** A conformance run or a certification; its evidence is charged to the budget of the page. */
export function conformanceSection(
  document: ConformanceDocument,
  section: RuleSection,
  budget: EvidenceBudget,
): Markup {
  const { id } = section;
  const { client } = document;
  const named = (text: string | null = null): Content => text && shortText(text, 200);
  const evidence = evidenceOf(document, section.earlierRules.size === 0 ? '' : `${id}-`, budget);
  const facts: (Fact | false)[] = [
    ...targetFacts(document.target),
    ['suite', shortText(suiteWords(document), 300)],
    document.orders !== undefined && ['orders for users', document.orders ?? 'not declared'],
    ['client', named(client?.name)],
    ['version', named(client?.version)],
    ['partner', named(client?.partner)],
    ['seed', shortText(String(document.seed), 40)],
  ];
  return html`${verdictHeader(document, id, facts, verdictCounts(document))}
    ${section.changes && changedPart(document, section, section.changes)}
    ${findingsPart(document, section)}
    ${scenariosPart(document, id)}
    ${rulesPart(document, section, evidence)}
    ${notJudgedPart(document, section)}
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
    return html`<rect class="${verdictClass(verdict)}" x="${x}" width="${width}" height="100%"/>`;
  });
  const counts = present.map(
    (verdict) => html`<li>${verdictBadge(verdict)} <b>${summary[verdict]}</b></li>`,
  );
  return html`<div class="counts">
    <svg class="bar" aria-hidden="true" focusable="false">${segments}</svg>
    <ul>${counts}</ul>
    </div>`;
}

/** The rules that have changed since an earlier run, with links to them. */
function changedPart(
  document: ConformanceDocument,
  section: RuleSection,
  changes: NonNullable<RuleSection['changes']>,
): Content {
  const known = new Map(document.rules.map((rule) => [rule.id, rule]));
  return changesPart(changes.title, `${section.id}-changes`, changes, ({ rule: id }) => {
    const rule = known.get(id);
    return rule ? ruleLink(document, section, rule) : html`<code>${shortText(id, 200)}</code>`;
  });
}

/** The rules that failed, warn or are inconclusive, with links to them. */
function findingsPart(document: ConformanceDocument, section: RuleSection): Content {
  const { diagnosis } = document;
  const rules = notableVerdicts(document).flatMap((verdict) => rulesWith(document, verdict));
  if (rules.length === 0 && diagnosis === undefined) return null;
  const cause =
    diagnosis &&
    html`<li class="finding">${badge('bad', 'diagnosis')}<div>
      <p class="reason">${shortText(diagnosis.finding, 1000)}</p>
      <p class="remedy"><b>Remedy:</b> ${shortText(diagnosis.remedy)} ${diagnosis.exchange !== undefined && html`<small>Evidence: ${shortText(diagnosis.exchange, 40)}</small>`}</p>
      </div></li>`;
  const items = rules.map(
    (rule) => html`<li class="finding">${verdictBadge(rule.verdict)}<div>
      ${ruleLink(document, section, rule)} <span class="statement">${prose(rule.statement)}</span>
      <p class="reason">${shortText(rule.reason, 600)}</p>
      </div></li>`,
  );
  return part('Findings', `${section.id}-findings`, html`<ul>${cause}${items}</ul>`);
}

/** Rules without a verdict, by reason, and what would make them testable. */
function notJudgedPart(document: ConformanceDocument, section: RuleSection): Content {
  const rules = [...rulesWith(document, 'untestable'), ...rulesWith(document, 'inconclusive')];
  if (rules.length === 0) return null;
  return part(
    'Not judged',
    `${section.id}-not-judged`,
    html`<p>${countOf(rules.length, 'rule')} could not be judged in this run, by reason.</p>`,
    groupByReason(rules).map((group) => {
      const [{ verdict, reason, remedy }] = group;
      const links = group.map((rule) => html`${ruleLink(document, section, rule)} `);
      return html`<div class="finding">${verdictBadge(verdict)}<div>
        <p>${shortText(reason)}</p>
        ${remedy !== undefined && html`<p class="remedy"><b>Remedy:</b> ${shortText(remedy)}</p>`}
        <p class="rule-links">${links}</p>
        </div></div>`;
    }),
  );
}
