import type { ConformanceDocument } from '../../../../documents/conformance.ts';
import { countOf } from '../../../text/quantities.ts';
import {
  groupByReason,
  notableRules,
  openRules,
  type RuleGroup,
  rulesByArea,
  suiteWords,
  WORST_FIRST,
} from '../../../text/rule-words.ts';
import { badge, command, type Fact, part, prose, shortText } from '../../blocks.ts';
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
  return html`${verdictHeader(document, id, facts, worstFinding(document, section), rulesMap(document, section))}
    ${section.changes && changedPart(document, section, section.changes)}
    ${findingsPart(document, section)}
    ${openPart(document, section)}
    ${scenariosPart(document, id)}
    ${rulesPart(document, section, evidence)}
    ${waiversPart(document, id)}
    ${spendPart(document, id)}
    ${gapsPart(document, id)}`;
}

/** The one cause, or else the first finding. */
function worstFinding(document: ConformanceDocument, section: RuleSection): Content {
  const { diagnosis } = document;
  if (diagnosis !== undefined) {
    const { finding, exchange } = diagnosis;
    return html`<p class="worst">${badge('bad', 'diagnosis')} ${shortText(finding, 1000)}
      ${exchange !== undefined && html`<small>Evidence: ${shortText(exchange, 40)}</small>`}</p>`;
  }
  const [group] = groupByReason(notableRules(document));
  if (group === undefined) return null;
  const [rule] = group;
  const subject =
    group.length > LISTED_ALIKE
      ? html`<b>${countOf(group.length, 'rule')}:</b>`
      : ruleLink(document, section, rule);
  return html`<p class="worst">${verdictBadge(rule.verdict)} ${subject} ${shortText(rule.reason, 600)}</p>`;
}

/** The numbers of rules by verdict, each a filter; and a map of the rules by area: areas filter, squares link. */
function rulesMap(document: ConformanceDocument, section: RuleSection): Content {
  const { summary } = document;
  const filter = (fields: Record<string, string>): string =>
    `#${new URLSearchParams({ ...fields, in: section.id }).toString()}`;
  const present = WORST_FIRST.filter((verdict) => summary[verdict] > 0);
  const counts = present.map(
    (verdict) =>
      html`<li><a href="${filter({ rules: verdict })}">${verdictBadge(verdict)} <b>${summary[verdict]}</b></a></li>`,
  );
  const areas = [...rulesByArea(document)].map(
    ([area, rules]) =>
      html`<li><a class="meta" href="${filter({ rules: present.join(), q: `${area}/` })}">${area}</a> ${rules.map((rule) => ruleSquare(document, section, rule))}</li>`,
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

/** The findings with links to their rules; those of one reason together. */
function findingsPart(document: ConformanceDocument, section: RuleSection): Content {
  const items = groupByReason(notableRules(document)).flatMap((group) =>
    group.length > LISTED_ALIKE
      ? [
          html`<li class="finding">${verdictBadge(group[0].verdict)}<div>
            <p><b>${countOf(group.length, 'rule')}:</b> ${shortText(group[0].reason)}</p>
            ${linksTo(document, section, group)}</div></li>`,
        ]
      : group.map(
          (rule) => html`<li class="finding">${verdictBadge(rule.verdict)}<div>
            ${ruleLink(document, section, rule)} <span class="statement">${prose(rule.statement)}</span>
            <p class="reason">${shortText(rule.reason, 600)}</p>
            </div></li>`,
        ),
  );
  return items.length > 0 && part('Findings', `${section.id}-findings`, html`<ul>${items}</ul>`);
}

/** Rules of the same verdict and reason that are listed one by one. */
const LISTED_ALIKE = 3;

function linksTo(document: ConformanceDocument, section: RuleSection, rules: RuleGroup): Markup {
  const links = rules.map((rule) => html`${ruleLink(document, section, rule)} `);
  return html`<p class="rule-links">${links}</p>`;
}

/** The untestable rules by what would make them testable, with the command to run then. */
function openPart(document: ConformanceDocument, section: RuleSection): Content {
  const groups = openRules(document);
  const items = groups.map((group) => {
    const reasons = new Set(group.flatMap(({ remedy, reason }) => (remedy ? [reason] : [])));
    return html`<li class="finding">${remedyOf(group)}
      ${[...reasons].slice(0, LISTED_ALIKE).map((reason) => html`<p class="reason">${shortText(reason)}</p>`)}
      ${linksTo(document, section, group)}</li>`;
  });
  const isHopeless = groups.every(([{ remedy }]) => remedy === undefined);
  const title = isHopeless ? 'Not judged' : 'To judge more';
  return (
    items.length > 0 && part(title, `${section.id}-open`, html`<ul class="open">${items}</ul>`)
  );
}

/** `+16 rules: ...` with its command; of rules without a remedy, their reason. */
function remedyOf(group: RuleGroup): Markup {
  const [{ remedy, reason, repeat }] = group;
  const count = countOf(group.length, 'rule');
  return html`<p><b>${remedy === undefined ? count : `+${count}`}:</b> ${shortText(remedy ?? reason)}</p>
    ${repeat !== undefined && command(repeat)}`;
}
