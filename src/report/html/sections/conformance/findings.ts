import type { ConformanceDocument, RuleResult } from '../../../../documents/conformance.ts';
import { countOf } from '../../../text/quantities.ts';
import {
  groupByReason,
  NOTABLE_VERDICTS,
  rulesWith,
  statementOf,
} from '../../../text/rule-words.ts';
import { part, prose, shortText } from '../../blocks.ts';
import { type Content, html, type Markup } from '../../markup.ts';
import { verdictBadge } from '../../verdict-badge.ts';
import type { RuleIds } from './rules.ts';

/** The rules that failed, warn or are inconclusive, with links to them. */
export function findingsPart(document: ConformanceDocument, id: string, ids: RuleIds): Content {
  const rules = NOTABLE_VERDICTS.flatMap((verdict) => rulesWith(document, verdict));
  if (rules.length === 0) return null;
  const items = rules.map(
    (rule) => html`<li class="finding">${verdictBadge(rule.verdict)}<div>
      ${ids.link(rule)} <span class="statement">${prose(statementOf(rule))}</span>
      <p class="reason">${shortText(rule.reason, 600)}</p>
      </div></li>`,
  );
  return part('Findings', `${id}-findings`, html`<ul>${items}</ul>`);
}

/** Rules without a verdict, by reason, and what would make them testable. */
export function notJudgedPart(document: ConformanceDocument, id: string, ids: RuleIds): Content {
  const rules = [...rulesWith(document, 'untestable'), ...rulesWith(document, 'inconclusive')];
  if (rules.length === 0) return null;
  return part(
    'Not judged',
    `${id}-not-judged`,
    html`<p>${countOf(rules.length, 'rule')} could not be judged in this run, by reason.</p>`,
    groupByReason(rules).map((group) => groupItem(group, ids)),
  );
}

function groupItem(group: readonly RuleResult[], ids: RuleIds): Markup | null {
  const [first] = group;
  if (!first) return null;
  const { verdict, reason, remedy } = first;
  return html`<div class="finding">${verdictBadge(verdict)}<div>
    <p>${shortText(reason)}</p>
    ${remedy !== undefined && html`<p class="remedy"><b>Remedy:</b> ${shortText(remedy)}</p>`}
    <p class="rule-links">${group.map((rule) => html`${ids.link(rule)} `)}</p>
    </div></div>`;
}
