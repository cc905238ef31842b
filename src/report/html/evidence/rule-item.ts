import type { RuleResult } from '../../../documents/conformance.ts';
import { sectionOf, statementOf } from '../../text/rule-words.ts';
import { facts, prose, shortText } from '../blocks.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { verdictBadge } from '../verdict-badge.ts';

const CLOCKS: Readonly<Record<NonNullable<RuleResult['clock']>, string>> = {
  virtual: 'virtual: the embedded clock was moved',
  control: "control: the target's clock was moved by its control API",
  wall: 'wall: real time passed',
};

/** A rule that opens to its reason, its evidence and the command that repeats it. */
export function ruleItem(rule: RuleResult, id: string, evidence: Content): Markup {
  const broken = rule.verdict === 'fail';
  const statement = statementOf(rule);
  return html`<li class="rule" data-verdict="${rule.verdict}" id="${id}">
<details${broken ? openAttribute : null}>
<summary class="rule-head">${verdictBadge(rule.verdict)}<span class="rule-words"><code>${shortText(rule.id, 200)}</code> <span class="statement">${prose(statement)}</span></span></summary>
<div class="rule-body">
${facts([
  ['Reason', shortText(rule.reason)],
  ['Expected', shortText(rule.expected ?? '')],
  ['Got', shortText(rule.got ?? '')],
  ['To judge it', shortText(rule.remedy ?? '')],
  ['Level', rule.level === 'must' ? 'must: the interface states it' : 'should: common sense'],
  ['Interface', shortText(sectionOf(rule) ?? '', 200)],
  rule.clock !== null && ['Clock', CLOCKS[rule.clock]],
])}
${
  rule.curl !== undefined &&
  html`<h5>Repeat it</h5><div class="command"><pre>${shortText(rule.curl, 4000)}</pre><button type="button" class="copy" hidden>Copy</button></div>`
}
${evidence}
</div>
</details>
</li>`;
}

const openAttribute: Markup = html` open`;
