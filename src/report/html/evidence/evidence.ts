import type { ConformanceDocument, RuleResult } from '../../../documents/conformance.ts';
import type { Exchange } from '../../../documents/exchange.ts';
import { cutText } from '../../escape.ts';
import { countOf } from '../../text/quantities.ts';
import { NOTABLE_VERDICTS, WORST_FIRST } from '../../text/rule-words.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { differencesOf } from './differences.ts';
import { exchangeLine, exchangePanel } from './exchange-panel.ts';

/** Exchanges that are named under one rule. */
const EXCHANGES_PER_RULE = 30;
/** Exchanges that are named as left out. */
const NAMED_LEFT_OUT = 40;
/** Bytes of evidence on a page. */
const BUDGET_BYTES = { broken: 150_000, passed: 46_000, lines: 32_000 } as const;

/** The budget of a page, shared by the documents on it that have evidence. */
export function evidenceBudget(documentCount: number): EvidenceBudget {
  const { broken, passed, lines } = BUDGET_BYTES;
  const share = Math.max(1, documentCount);
  return { broken, passed: passed / share, lines: lines / share };
}

/**
 * The evidence of each rule, within the budget of its page, to which it is charged. Every exchange is
 * shown once, under the worst rule that points to it, and linked elsewhere. Under a broken rule each
 * is shown in full as far as the budget allows; under another rule only the decisive one, and the
 * others as a line, unless the budget allows all of them.
 */
export function evidenceOf(
  document: ConformanceDocument,
  prefix: string,
  budget: EvidenceBudget,
): Map<RuleResult, Content> {
  const byId = new Map(document.exchanges.map((exchange) => [exchange.id, exchange]));
  const panels = new EvidencePanels(prefix, document.target.baseUrl, budget);
  const cited = worstFirst(document.rules)
    .filter((rule) => rule.exchanges.length > 0)
    .map((rule) => {
      const ids = [...new Set(rule.exchanges)];
      const exchanges = ids.flatMap((id) => byId.get(id) ?? []);
      const decisive = decisiveOf(rule, exchanges);
      const baseline = isNotable(rule) ? baselineOf(decisive, exchanges) : undefined;
      const first = [decisive, baseline].flatMap((one) => one ?? []);
      const shown = [...new Set([...first, ...exchanges])].slice(0, EXCHANGES_PER_RULE);
      return { rule, shown, decisive, baseline };
    });
  // Panels before lines: a line under one rule may link to a panel under any other.
  for (const { rule, shown, decisive, baseline } of cited) {
    if (!isNotable(rule)) {
      if (decisive) panels.add(decisive, rule, 'passed');
      continue;
    }
    const texts = decisive && baseline ? differencesOf(decisive, baseline).texts : [];
    for (const one of shown) panels.add(one, rule, 'broken', one === decisive ? texts : []);
  }
  return new Map(cited.map((one) => [one.rule, evidenceOfRule(one, panels)]));
}

/** The exchanges of a rule: the deciding one first, then the baseline, which was accepted. */
interface CitedExchanges {
  readonly rule: RuleResult;
  readonly shown: readonly Exchange[];
  readonly decisive: Exchange | undefined;
  readonly baseline: Exchange | undefined;
}

/** The deciding exchange with its baseline, and the rest folded. */
function evidenceOfRule(
  { rule, shown: exchanges, decisive, baseline }: CitedExchanges,
  panels: EvidencePanels,
): Content {
  const shown = exchanges.flatMap((exchange) => {
    const markup = panels.under(rule, exchange);
    return markup ? [{ exchange, markup }] : [];
  });
  const shownIds = new Set(shown.map(({ exchange }) => exchange.id));
  const left = rule.exchanges.filter((id) => !shownIds.has(id));
  const first = shown.filter(({ exchange }) => exchange === decisive || exchange === baseline);
  const rest = shown.slice(first.length);
  return html`<h5>Evidence</h5>
    ${decisive && isNotable(rule) && decisiveWords(decisive, baseline)}
    <div class="evidence">${first.map(({ markup }) => markup)}</div>
    ${
      rest.length + left.length > 0 &&
      html`<details class="more">
      <summary class="opener">${countOf(rest.length + left.length, 'more exchange')}</summary>
      <div class="evidence">${rest.map(({ markup }) => markup)}</div>
      ${left.length > 0 && leftOutNote(left)}</details>`
    }`;
}

/** Expected and received outcome of the deciding exchange, and the fields in which it differs from the baseline. */
function decisiveWords(decisive: Exchange, baseline: Exchange | undefined): Markup {
  const { id, expects, response, error } = decisive;
  const names = baseline ? differencesOf(decisive, baseline).names : [];
  const differs = names.map((name, at) => html`${at > 0 && ', '}<mark>${cutText(name, 60)}</mark>`);
  const got = response?.status ?? (error ? cutText(error.code, 100) : 'no response');
  return html`<p class="decides"><b>${cutText(id, 40)}</b> decides.
    ${expects !== undefined && html`<span>expected: ${expects};</span>`} <span>got: ${got}</span></p>
    ${baseline && html`<p class="meta">Beside the baseline ${cutText(baseline.id, 40)}, which was accepted${names.length > 0 && html`; it differs in ${differs}`}.</p>`}`;
}

function leftOutNote(ids: readonly string[]): Content {
  const more = ids.length > NAMED_LEFT_OUT ? ' …' : '';
  const names = ids.slice(0, NAMED_LEFT_OUT).join(', ') + more;
  return html`<p class="meta">Left out to limit the size of the page: ${names}. See run.json.</p>`;
}

function isNotable({ verdict }: RuleResult): boolean {
  return NOTABLE_VERDICTS.some((notable) => notable === verdict);
}

/** The exchange that decided a verdict: else, of those of the check, the last that must be refused, or the last. */
function decisiveOf({ shownBy }: RuleResult, exchanges: readonly Exchange[]): Exchange | undefined {
  const own = exchanges.filter(({ part }) => part?.step === undefined);
  const refused = own.findLast(({ expects }) => expects === 'refused');
  return exchanges.find(({ id }) => id === shownBy) ?? refused ?? own.at(-1) ?? exchanges[0];
}

/** The accepted baseline of the batch of an exchange; undefined if there is none. */
function baselineOf(
  decisive: Exchange | undefined,
  exchanges: readonly Exchange[],
): Exchange | undefined {
  const batch = decisive?.part?.batch?.id;
  return exchanges.find(
    ({ part, response }) =>
      batch !== undefined &&
      part?.batch?.id === batch &&
      part.step !== undefined &&
      response?.status === 200,
  );
}

function worstFirst(rules: readonly RuleResult[]): RuleResult[] {
  return [...rules].sort((a, b) => WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict));
}

/** Characters of a body, by kind of rule. */
const BODY_LIMIT = { broken: 4000, passed: 600 } as const;

/** Bytes that are left for evidence. */
export interface EvidenceBudget {
  /** Panels under rules that are broken or inconclusive; of all documents of a page together. */
  broken: number;
  /** Panels under other rules; of each document. */
  readonly passed: number;
  /** Exchanges as lines; of each document. */
  readonly lines: number;
}

const EXCHANGE_ID = /^x\d{1,9}$/;

interface Panel {
  readonly id: string;
  /** Rule under which it is shown. */
  readonly rule: RuleResult;
  readonly markup: Markup;
  readonly bytes: number;
}

/** The exchanges of a document on its page: each at most once in full, within the budget. */
class EvidencePanels {
  readonly #prefix: string;
  readonly #baseUrl: string;
  readonly #budget: EvidenceBudget;
  #passedBytes: number;
  #lineBytes: number;
  readonly #panels = new Map<Exchange, Panel>();

  constructor(prefix: string, baseUrl: string, budget: EvidenceBudget) {
    this.#prefix = prefix;
    this.#baseUrl = baseUrl;
    this.#budget = budget;
    this.#passedBytes = budget.passed;
    this.#lineBytes = budget.lines;
  }

  /** Adds an exchange under a rule, unless it has a panel or exceeds the budget. */
  add(
    exchange: Exchange,
    rule: RuleResult,
    kind: 'broken' | 'passed',
    marked: readonly string[] = [],
  ): void {
    if (this.#panels.has(exchange)) return;
    const panel = this.#panel(exchange, rule, this.#panels.size, kind, marked);
    if (panel.bytes > (kind === 'broken' ? this.#budget.broken : this.#passedBytes)) return;
    if (kind === 'broken') this.#budget.broken -= panel.bytes;
    else this.#passedBytes -= panel.bytes;
    this.#panels.set(exchange, panel);
  }

  /** An exchange under a rule: its panel, or a line; null if the budget is spent. */
  under(rule: RuleResult, exchange: Exchange): Markup | null {
    const panel = this.#panels.get(exchange);
    if (panel?.rule === rule) return panel.markup;
    const line = exchangeLine(exchange, this.#baseUrl, panel?.id ?? null);
    const bytes = Buffer.byteLength(line.text);
    if (bytes > this.#lineBytes) return null;
    this.#lineBytes -= bytes;
    return line;
  }

  #panel(
    exchange: Exchange,
    rule: RuleResult,
    at: number,
    kind: 'broken' | 'passed',
    marked: readonly string[] = [],
  ): Panel {
    // That of the exchange, as the terminal prints it, where the section is the only one.
    const id = EXCHANGE_ID.test(exchange.id) ? this.#prefix + exchange.id : `${this.#prefix}-${at}`;
    const markup = exchangePanel(exchange, {
      id,
      baseUrl: this.#baseUrl,
      bodyLimit: BODY_LIMIT[kind],
      inDetail: kind === 'broken',
      marked,
    });
    return { id, rule, markup, bytes: Buffer.byteLength(markup.text) };
  }
}
