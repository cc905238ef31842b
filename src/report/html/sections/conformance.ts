import {
  type ConformanceDocument,
  RULE_VERDICTS,
  type RuleResult,
  type RuleVerdict,
} from '../../../documents/conformance.ts';
import { ALLOWANCE_KINDS, ALLOWANCE_PER_DAY } from '../../../interface/index.ts';
import { observedWords } from '../../text/observed-words.ts';
import { countOf } from '../../text/quantities.ts';
import { rulesByArea, rulesWith, statementOf } from '../../text/rule-words.ts';
import { part, prose, shortText, table } from '../blocks.ts';
import { type EvidenceRoom, evidenceOf } from '../evidence/evidence.ts';
import { EVIDENCE_WORDS } from '../evidence/exchange-panel.ts';
import { ruleItem } from '../evidence/rule-item.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { verdictBadge, verdictTone } from '../verdict-badge.ts';
import { notesPart, targetFacts, verdictHeader } from '../verdict-header.ts';

/** A conformance run or a certification; its evidence takes of the room of the page. */
export function conformanceSection(
  document: ConformanceDocument,
  id: string,
  room: EvidenceRoom,
): Markup {
  const evidence = evidenceOf(document, `${id}-x`, room);
  const ids = new Map(document.rules.map((rule, at) => [rule, `${id}-r${at}`]));
  const idOf = (rule: RuleResult): string => ids.get(rule) ?? id;
  return html`${verdictHeader(document, `${id}-title`, [
    ...targetFacts(document.target),
    ['Suite', shortText(document.suite, 300)],
    ...(document.orders === undefined
      ? []
      : ([['Orders for users', document.orders ?? 'not declared']] as const)),
    ['Seed', shortText(String(document.seed), 40)],
  ])}
${verdictBar(document)}
${notesPart(document.notes)}
${lookFirst(document, id, idOf)}
${scenariosPart(document, id)}
${part(
  'Rules',
  `${id}-rules`,
  ruleFilter(document, id),
  document.exchanges.length > 0 && html`<p class="meta">${EVIDENCE_WORDS}</p>`,
  [...rulesByArea(document)].map(
    ([area, rules]) => html`<section class="area">
<h4>${area} <span class="meta">${areaCounts(rules)}</span></h4>
<ul class="rules">${rules.map((rule) => ruleItem(rule, idOf(rule), evidence.get(rule)))}</ul>
</section>`,
  ),
)}
${notJudgedPart(document, id, idOf)}
${waiversPart(document, id)}
${spendPart(document, id)}
${gapsPart(document, id)}`;
}

/** The verdicts as a bar, widest part first to be seen; the words are beside it. */
function verdictBar({ summary, rules }: ConformanceDocument): Content {
  const present = RULE_VERDICTS.filter((verdict) => summary[verdict] > 0);
  let at = 0;
  const total = Math.max(1, rules.length);
  const segments = present.map((verdict) => {
    const from = at;
    at += (summary[verdict] / total) * 100;
    return html`<rect class="fill-${verdictTone(verdict)}" x="${from.toFixed(2)}%" width="${(at - from).toFixed(2)}%" height="100%"/>`;
  });
  return html`<div class="counts"><svg class="bar" aria-hidden="true" focusable="false">${segments}</svg>
<ul>${present.map((verdict) => html`<li>${verdictBadge(verdict)} <b>${summary[verdict]}</b></li>`)}</ul></div>`;
}

function lookFirst(
  document: ConformanceDocument,
  id: string,
  idOf: (rule: RuleResult) => string,
): Content {
  const urgent = (['fail', 'warn', 'inconclusive'] as const).flatMap((verdict) =>
    rulesWith(document, verdict),
  );
  if (urgent.length === 0) return null;
  return part(
    'Look here first',
    `${id}-first`,
    html`<ul>${urgent.map(
      (
        rule,
      ) => html`<li class="obstacle">${verdictBadge(rule.verdict)}<div><a href="#${idOf(rule)}"><code>${shortText(rule.id, 200)}</code></a> <span class="statement">${prose(statementOf(rule))}</span>
<p class="reason">${shortText(rule.reason, 600)}</p></div></li>`,
    )}</ul>`,
  );
}

function ruleFilter({ summary }: ConformanceDocument, id: string): Markup {
  const present = RULE_VERDICTS.filter((verdict) => summary[verdict] > 0);
  return html`<div class="filter" role="group" aria-label="Rules to show" hidden>
<label class="search">Search <input type="search" autocomplete="off" spellcheck="false" aria-describedby="${id}-shown"></label>
<fieldset><legend>Verdict</legend>${present.map((verdict: RuleVerdict) => html`<label class="check"><input type="checkbox" value="${verdict}" checked> ${verdict} <span class="meta">${summary[verdict]}</span></label>`)}</fieldset>
<p class="buttons"><button type="button" data-do="open">Open all shown</button> <button type="button" data-do="close">Close all</button></p>
<p class="shown meta" id="${id}-shown" role="status"></p>
</div>`;
}

function areaCounts(rules: readonly RuleResult[]): string {
  const parts = RULE_VERDICTS.map((verdict) => {
    const count = rules.filter((rule) => rule.verdict === verdict).length;
    return count > 0 ? [`${count} ${verdict}`] : [];
  });
  return parts.flat().join(' · ');
}

function scenariosPart({ scenarios = [] }: ConformanceDocument, id: string): Content {
  if (scenarios.length === 0) return null;
  return part(
    'Scenarios',
    `${id}-scenarios`,
    table(
      'Scenarios in the order they were run',
      [
        { name: 'Scenario' },
        { name: 'Verdict' },
        { name: 'Exit code', numeric: true },
        { name: 'What was missing' },
      ],
      scenarios.map(({ name, verdict, exitCode, missing, reason }) => [
        html`<code>${shortText(name, 100)}</code>`,
        scenarioVerdict(verdict),
        exitCode === null ? '–' : exitCode,
        shortText([...(reason === undefined ? [] : [reason]), ...missing].join('; ')),
      ]),
      { hideCaption: true },
    ),
  );
}

function scenarioVerdict(verdict: string): Content {
  const known = RULE_VERDICTS.find((each) => each === verdict);
  return known ? verdictBadge(known) : shortText(verdict, 100);
}

function notJudgedPart(
  document: ConformanceDocument,
  id: string,
  idOf: (rule: RuleResult) => string,
): Content {
  const rules = [...rulesWith(document, 'untestable'), ...rulesWith(document, 'inconclusive')];
  if (rules.length === 0) return null;
  const groups = new Map<string, RuleResult[]>();
  for (const rule of rules) {
    const key = JSON.stringify([rule.verdict, rule.reason, rule.remedy ?? '']);
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  return part(
    'What could not be judged',
    `${id}-not-judged`,
    html`<p>${countOf(rules.length, 'rule')} could not be judged in this run. This is why, and what would make it possible.</p>`,
    [...groups.values()].map((group) => {
      const [first] = group;
      if (!first) return null;
      return html`<div class="obstacle">${verdictBadge(first.verdict)}<div>
<p>${shortText(first.reason)}</p>
${first.remedy !== undefined && html`<p class="remedy"><b>What would make it fit:</b> ${shortText(first.remedy)}</p>`}
<p class="rule-links">${group.map((rule) => html`<a href="#${idOf(rule)}"><code>${shortText(rule.id, 200)}</code></a> `)}</p></div></div>`;
    }),
  );
}

function waiversPart({ waivers = [] }: ConformanceDocument, id: string): Content {
  if (waivers.length === 0) return null;
  return part(
    'Waivers',
    `${id}-waivers`,
    table(
      'Waivers of this run',
      [{ name: 'Rule' }, { name: 'Until' }, { name: 'Reason' }, { name: 'To look at' }],
      waivers.map(({ rule, until, reason, problem }) => [
        html`<code>${shortText(rule, 200)}</code>`,
        shortText(until, 40),
        shortText(reason),
        shortText(problem ?? ''),
      ]),
      { hideCaption: true },
    ),
  );
}

/** Partners whose spend is shown: a control API makes a fresh one for many a rule. */
const SPENDERS = 60;

function spendPart({ spend }: ConformanceDocument, id: string): Content {
  const partners = Object.entries(spend);
  if (partners.length === 0) return null;
  const shown = partners.slice(0, SPENDERS);
  return part(
    'Spend per partner',
    `${id}-spend`,
    table(
      `Token requests that count, of ${ALLOWANCE_KINDS.map((kind) => `${ALLOWANCE_PER_DAY[kind]} ${kind}`).join(', ')} a day`,
      [{ name: 'Partner' }, ...ALLOWANCE_KINDS.map((name) => ({ name, numeric: true }))],
      shown.map(([partner, counts]) => [
        html`<code>${shortText(partner, 200)}</code>`,
        ...ALLOWANCE_KINDS.map((kind) => meter(counts[kind], ALLOWANCE_PER_DAY[kind])),
      ]),
    ),
    partners.length > shown.length &&
      html`<p class="meta">And ${partners.length - shown.length} more partners, in run.json.</p>`,
  );
}

function meter(count: number, limit: number): Markup {
  if (count === 0) return html`0`;
  const share = Math.min(100, Math.round((count / limit) * 100));
  const over = count > limit && html` class="fill-bad"`;
  return html`<span class="meter">${count}<svg aria-hidden="true"><rect width="${share}%"${over}/></svg></span>`;
}

function gapsPart({ gaps }: ConformanceDocument, id: string): Content {
  if (gaps.length === 0) return null;
  return part(
    'Gaps observed',
    `${id}-gaps`,
    html`<p>Where the interface leaves a question open, this is what was seen. It is never judged.</p>`,
    table(
      'Gaps and what was observed',
      [{ name: 'Gap' }, { name: 'Question' }, { name: 'Observed' }],
      gaps.map(({ id: gap, question, observed }) => {
        const words = observedWords(observed);
        return [
          html`<code>${shortText(gap, 100)}</code>`,
          prose(question),
          words === null ? html`<span class="meta">not observed</span>` : shortText(words),
        ];
      }),
      { hideCaption: true },
    ),
  );
}
