import {
  type ConformanceDocument,
  RULE_VERDICTS,
  type RuleResult,
} from '../documents/conformance.ts';
import type { Exchange } from '../documents/exchange.ts';
import { exchangePanel } from './exchange-panel.ts';
import { type Content, html } from './markup.ts';

const BROKEN = new Set<string>(['fail', 'warn', 'inconclusive']);

/** Exchanges shown under one rule. */
const PER_RULE = 12;

/**
 * The evidence of each rule, within a budget of characters for the whole page: what is broken
 * first, and every exchange under such a rule in full; elsewhere an exchange that is already shown is
 * a link. What finds no room is named, and stands in run.json.
 */
export function evidenceOf(
  document: ConformanceDocument,
  prefix: string,
  budget: number,
): Map<RuleResult, Content> {
  const byId = new Map(document.exchanges.map((exchange) => [exchange.id, exchange]));
  const panels = new Panels(prefix, budget);
  const evidence = new Map<RuleResult, Content>();
  for (const rule of inOrderOfUrgency(document.rules)) {
    if (rule.exchanges.length === 0) continue;
    evidence.set(rule, evidenceOfRule(rule, byId, panels));
  }
  return evidence;
}

function evidenceOfRule(
  rule: RuleResult,
  byId: ReadonlyMap<string, Exchange>,
  panels: Panels,
): Content {
  const broken = BROKEN.has(rule.verdict);
  const leftOut: string[] = [];
  const shown = rule.exchanges.map((id, at) => {
    const exchange = byId.get(id);
    const content = exchange && at < PER_RULE ? panels.show(exchange, broken) : null;
    if (content === null) leftOut.push(id);
    return content;
  });
  const note =
    leftOut.length > 0 &&
    html`<p class="meta">Not on this page, to keep it small: ${leftOut.slice(0, 40).join(', ')}${
      leftOut.length > 40 && ' …'
    }. The run document (run.json) holds them.</p>`;
  return html`<h5>Evidence</h5>${shown}${note}`;
}

function inOrderOfUrgency(rules: readonly RuleResult[]): RuleResult[] {
  return [...rules].sort(
    (a, b) => RULE_VERDICTS.indexOf(a.verdict) - RULE_VERDICTS.indexOf(b.verdict),
  );
}

class Panels {
  readonly #prefix: string;
  #left: number;
  #count = 0;
  readonly #shown = new Map<Exchange, string>();

  constructor(prefix: string, budget: number) {
    this.#prefix = prefix;
    this.#left = budget;
  }

  /** A panel or a link to one; null where there is no room. */
  show(exchange: Exchange, broken: boolean): Content {
    const before = this.#shown.get(exchange);
    if (before !== undefined && !broken) {
      return html`<p class="exchange-link"><a href="#${before}">${exchange.id}</a> ${exchange.purpose.slice(0, 200)} (shown above or below)</p>`;
    }
    const id = `${this.#prefix}-${this.#count}`;
    const panel = exchangePanel(exchange, id, broken ? 4000 : 600);
    if (panel.text.length > this.#left) return null;
    this.#left -= panel.text.length;
    this.#count += 1;
    if (before === undefined) this.#shown.set(exchange, id);
    return panel;
  }
}
