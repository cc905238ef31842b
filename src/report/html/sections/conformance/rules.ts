import type { ConformanceDocument, RuleResult } from '../../../../documents/conformance.ts';
import type { RuleChanges } from '../../../../documents/rule-changes.ts';
import {
  notableRules,
  rulesByArea,
  triedWords,
  verdictFacts,
  WORST_FIRST,
} from '../../../text/rule-words.ts';
import { command, type Fact, facts, part, prose, shortText } from '../../blocks.ts';
import { EVIDENCE_WORDS } from '../../evidence/exchange-panel.ts';
import { type Content, html, type Markup } from '../../markup.ts';
import { verdictBadge, verdictClass } from '../../verdict.ts';

/** Section of a document on a page. */
export interface RuleSection {
  readonly id: string;
  /** Ids of the rules of sections before it. */
  readonly earlierRules: ReadonlySet<string>;
  /** Changes since an earlier run; null without one. */
  readonly changes: (RuleChanges & { readonly title: string }) | null;
}

const RULE_ID = /^[a-z0-9-]+\/[a-z0-9-]+$/;

/**
 * Id of a rule's item on the page: that of the rule where the section is the first to have it, and behind
 * the section's in the others. A rule without a usable id has its number.
 */
function ruleId({ rules }: ConformanceDocument, section: RuleSection, rule: RuleResult): string {
  const at = rules.indexOf(rule);
  const isOnly = rules.findIndex((one) => one.id === rule.id) === at;
  if (!isOnly || !RULE_ID.test(rule.id)) return `${section.id}-r${at}`;
  return section.earlierRules.has(rule.id) ? `${section.id}/${rule.id}` : rule.id;
}

/** A link to a rule's item in a section. */
export function ruleLink(
  document: ConformanceDocument,
  section: RuleSection,
  rule: RuleResult,
): Markup {
  return html`<a href="#${ruleId(document, section, rule)}"><code>${shortText(rule.id, 200)}</code></a>`;
}

/** A link to a rule's item as a square in the colour of its verdict. */
export function ruleSquare(
  document: ConformanceDocument,
  section: RuleSection,
  rule: RuleResult,
): Markup {
  const name = `${shortText(rule.id, 200)}: ${rule.verdict}`;
  return html`<a class="${verdictClass(rule.verdict)}" href="#${ruleId(document, section, rule)}" title="${name}"></a>`;
}

/** All rules by area, with their evidence, and a filter above them. */
export function rulesPart(
  document: ConformanceDocument,
  section: RuleSection,
  evidence: ReadonlyMap<RuleResult, Content>,
): Content {
  const { id } = section;
  const areas = [...rulesByArea(document)].map(
    ([area, rules]) => html`<section class="area">
      <h4>${area} <span class="meta">${verdictCounts(rules)}</span></h4>
      <ul class="rules">${rules.map((rule) => ruleItem(document, rule, ruleId(document, section, rule), evidence.get(rule)))}</ul>
      </section>`,
  );
  return part(
    'Rules',
    `${id}-rules`,
    ruleFilter(document, id),
    document.exchanges.length > 0 && html`<p class="meta">${EVIDENCE_WORDS}</p>`,
    areas,
  );
}

function verdictCounts(rules: readonly RuleResult[]): string {
  return WORST_FIRST.flatMap((verdict) => {
    const count = rules.filter((rule) => rule.verdict === verdict).length;
    return count > 0 ? `${count} ${verdict}` : [];
  }).join(' · ');
}

/** Hidden until the page's script makes it work; leaves out excluded rules until it is told otherwise. */
function ruleFilter({ summary }: ConformanceDocument, id: string): Markup {
  const present = WORST_FIRST.filter((verdict) => summary[verdict] > 0);
  const verdicts = present.map(
    (verdict) => html`<label class="check">
      <input type="checkbox" value="${verdict}"${(verdict !== 'excluded' || present.length === 1) && html` checked`}> ${verdict}
      <span class="meta">${summary[verdict]}</span>
      </label>`,
  );
  return html`<div class="filter" id="${id}-filter" role="group" aria-label="Rules to show" hidden>
    <label class="search">Search
    <input type="search" autocomplete="off" spellcheck="false" aria-describedby="${id}-shown">
    </label>
    <fieldset><legend>Verdict</legend>${verdicts}</fieldset>
    <p class="buttons">
    <button type="button" data-do="open">Open all shown</button>
    <button type="button" data-do="close">Close all</button>
    </p>
    <p class="meta"><span class="shown" id="${id}-shown" role="status"></span>
    <button type="button" data-do="clear" hidden>Clear the filter</button></p>
    </div>`;
}

const CLOCKS: Readonly<Record<NonNullable<RuleResult['clock']>, string>> = {
  virtual: 'virtual: the clock of the embedded server was moved',
  control: "control: the target's clock was moved by its control API",
  wall: 'wall: real time passed',
};

/** A rule that expands to its reason, its evidence and the command that reproduces it. */
function ruleItem(
  document: ConformanceDocument,
  rule: RuleResult,
  id: string,
  evidence: Content,
): Markup {
  const { verdict, curl, repeat, replay } = rule;
  // Of a broken rule, what happened stands before what is to be known of the rule.
  const isShownFirst = verdict === 'fail' || verdict === 'warn';
  const tried = verdict === 'pass' ? triedWords(document, rule.id) : null;
  const words = html`<span class="rule-words"><code>${shortText(rule.id, 200)}</code>
    <span class="statement">${prose(rule.statement)}</span>${tried !== null && html` <span class="meta">${tried}</span>`}</span>`;
  const [worst] = notableRules(document);
  return html`<li class="rule" data-verdict="${verdict}" id="${id}">
    <details${rule === worst && openAttribute}>
    <summary class="rule-head">${verdictBadge(verdict)}${words}</summary>
    <div class="rule-body">
    ${isShownFirst && evidence}
    ${facts(ruleFacts(rule))}
    ${replay !== undefined && html`<h5>Send the exchange again, with a fresh signature and timestamp</h5>${command(replay)}`}
    ${repeat !== undefined && html`<h5>Judge the rule again</h5>${command(repeat)}`}
    ${curl !== undefined && html`<h5>The request as it was; its signature and time are void by now</h5>${command(curl)}`}
    ${!isShownFirst && evidence}
    ${isShownFirst && html`<a class="permalink" href="#${id}">Link</a>`}
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
    ['section', shortText(rule.section, 200)],
    clock !== null && ['clock', CLOCKS[clock]],
  ];
}

const openAttribute: Markup = html` open`;
