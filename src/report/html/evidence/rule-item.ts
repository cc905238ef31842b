import type { RuleResult } from '../../../documents/conformance.ts';
import { sectionOf, statementOf, verdictFacts } from '../../text/rule-words.ts';
import { type Fact, facts, prose, shortText } from '../blocks.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { verdictBadge } from '../verdict-badge.ts';

const CLOCKS: Readonly<Record<NonNullable<RuleResult['clock']>, string>> = {
  virtual: 'virtual: the clock of the embedded server was moved',
  control: "control: the target's clock was moved by its control API",
  wall: 'wall: real time passed',
};

/** Characters of a command. */
const COMMAND_LIMIT = 4000;

/** A rule that expands to its reason, its evidence and the command that reproduces it. */
export function ruleItem(rule: RuleResult, id: string, evidence: Content): Markup {
  const { verdict, curl } = rule;
  const words = html`<span class="rule-words"><code>${shortText(rule.id, 200)}</code>
    <span class="statement">${prose(statementOf(rule))}</span></span>`;
  return html`<li class="rule" data-verdict="${verdict}" id="${id}">
    <details${verdict === 'fail' && openAttribute}>
    <summary class="rule-head">${verdictBadge(verdict)}${words}</summary>
    <div class="rule-body">
    ${facts(ruleFacts(rule))}
    ${curl !== undefined && command(curl)}
    ${evidence}
    </div>
    </details>
    </li>`;
}

function ruleFacts(rule: RuleResult): (Fact | false)[] {
  const { level, clock, remedy = '' } = rule;
  return [
    ...verdictFacts(rule).map(([name, text]): Fact => [name, shortText(text)]),
    ['remedy', shortText(remedy)],
    ['level', level === 'must' ? 'must: the interface states it' : 'should: good practice'],
    ['section', shortText(sectionOf(rule) ?? '', 200)],
    clock !== null && ['clock', CLOCKS[clock]],
  ];
}

function command(curl: string): Markup {
  return html`<h5>Reproduce</h5>
    <div class="command">
    <pre>${shortText(curl, COMMAND_LIMIT)}</pre>
    <button type="button" class="copy" hidden>Copy</button>
    </div>`;
}

const openAttribute: Markup = html` open`;
