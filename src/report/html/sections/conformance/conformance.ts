import type { ConformanceDocument } from '../../../../documents/conformance.ts';
import { countOf } from '../../../text/quantities.ts';
import {
  groupByReason,
  notableVerdicts,
  type RuleGroup,
  rulesByArea,
  rulesWith,
  suiteWords,
  WORST_FIRST,
} from '../../../text/rule-words.ts';
import { badge, type Fact, part, prose, shortText } from '../../blocks.ts';
import { type EvidenceBudget, evidenceOf } from '../../evidence/evidence.ts';
import { type Content, html, type Markup } from '../../markup.ts';
import { targetFacts, verdictBadge, verdictHeader } from '../../verdict.ts';
import { changesPart } from '../rule-changes.ts';
import { type RuleSection, ruleLink, ruleSquare, rulesPart } from './rules.ts';
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
  return html`${verdictHeader(document, id, facts, rulesMap(document, section), worstFinding(document, section))}
    ${section.changes && changedPart(document, section, section.changes)}
    ${findingsPart(document, section)}
    ${scenariosPart(document, id)}
    ${rulesPart(document, section, evidence)}
    ${notJudgedPart(document, section)}
    ${waiversPart(document, id)}
    ${spendPart(document, id)}
    ${gapsPart(document, id)}`;
}

/** The first finding, and the command that sends or judges it again. */
function worstFinding(document: ConformanceDocument, section: RuleSection): Content {
  const [rule] = notableVerdicts(document).flatMap((verdict) => rulesWith(document, verdict));
  if (!rule) return null;
  const command = rule.replay ?? rule.repeat;
  return html`<div class="worst">
    <p>${verdictBadge(rule.verdict)} ${ruleLink(document, section, rule)} ${shortText(rule.reason, 160)}</p>
    ${
      command !== undefined &&
      html`<div class="command"><pre>${shortText(command, 400)}</pre>
      <button type="button" class="copy" hidden>Copy</button></div>`
    }
    </div>`;
}

/** The numbers of rules by verdict, each a filter; and a map of the rules by area, each a link. */
function rulesMap(document: ConformanceDocument, section: RuleSection): Content {
  const { summary } = document;
  const present = WORST_FIRST.filter((verdict) => summary[verdict] > 0);
  const counts = present.map(
    (verdict) =>
      html`<li><a href="#rules=${verdict}">${verdictBadge(verdict)} <b>${summary[verdict]}</b></a></li>`,
  );
  const areas = [...rulesByArea(document)].map(
    ([area, rules]) =>
      html`<li><span class="meta">${area}</span> ${rules.map((rule) => ruleSquare(document, section, rule))}</li>`,
  );
  // Once a page: a map of each of many runs is bytes.
  const map = section.earlierRules.size === 0 && html`<ul class="map">${areas}</ul>`;
  return html`<div class="counts"><ul>${counts}</ul>${map}</div>`;
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
  const items = groupByReason(rules).flatMap((group) =>
    group.length > LISTED_ALIKE
      ? [groupItem(document, section, group)]
      : group.map(
          (rule) => html`<li class="finding">${verdictBadge(rule.verdict)}<div>
            ${ruleLink(document, section, rule)} <span class="statement">${prose(rule.statement)}</span>
            <p class="reason">${shortText(rule.reason, 600)}</p>
            </div></li>`,
        ),
  );
  return part('Findings', `${section.id}-findings`, html`<ul>${cause}${items}</ul>`);
}

/** Rules of the same verdict and reason that are listed one by one. */
const LISTED_ALIKE = 3;

/** Rules with the same verdict, reason and remedy. */
function groupItem(document: ConformanceDocument, section: RuleSection, group: RuleGroup): Markup {
  const [{ verdict, reason, remedy }] = group;
  const links = group.map((rule) => html`${ruleLink(document, section, rule)} `);
  return html`<li class="finding">${verdictBadge(verdict)}<div>
    <p><b>${countOf(group.length, 'rule')}:</b> ${shortText(reason)}</p>
    ${remedy !== undefined && html`<p class="remedy"><b>Remedy:</b> ${shortText(remedy)}</p>`}
    <p class="rule-links">${links}</p>
    </div></li>`;
}

/** Rules that are untestable, by reason, with what would make them testable. */
function notJudgedPart(document: ConformanceDocument, section: RuleSection): Content {
  const rules = rulesWith(document, 'untestable');
  if (rules.length === 0) return null;
  const groups = groupByReason(rules).map((group) => groupItem(document, section, group));
  return part('Not judged', `${section.id}-not-judged`, html`<ul>${groups}</ul>`);
}
