import type { RuleResult } from '../../../documents/conformance.ts';
import type { Exchange } from '../../../documents/exchange.ts';
import type { Markup } from '../markup.ts';
import { exchangeLine, exchangePanel } from './exchange-panel.ts';

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

interface Panel {
  readonly id: string;
  /** Rule under which it is shown. */
  readonly rule: RuleResult;
  readonly markup: Markup;
  readonly bytes: number;
}

/** The exchanges of a document on its page: each at most once in full, within the budget. */
export class EvidencePanels {
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
  add(exchange: Exchange, rule: RuleResult, kind: 'broken' | 'passed'): void {
    if (this.#panels.has(exchange)) return;
    const panel = this.#panel(exchange, rule, this.#panels.size, BODY_LIMIT[kind]);
    if (panel.bytes > (kind === 'broken' ? this.#budget.broken : this.#passedBytes)) return;
    if (kind === 'broken') this.#budget.broken -= panel.bytes;
    else this.#passedBytes -= panel.bytes;
    this.#panels.set(exchange, panel);
  }

  /** Adds all of these that have no panel; none if they do not all fit. */
  addAll(cited: readonly { readonly exchange: Exchange; readonly rule: RuleResult }[]): void {
    const added = new Map<Exchange, Panel>();
    let bytes = 0;
    for (const { exchange, rule } of cited) {
      if (this.#panels.has(exchange) || added.has(exchange)) continue;
      const at = this.#panels.size + added.size;
      const panel = this.#panel(exchange, rule, at, BODY_LIMIT.passed);
      bytes += panel.bytes;
      if (bytes > this.#passedBytes) return;
      added.set(exchange, panel);
    }
    this.#passedBytes -= bytes;
    for (const [exchange, panel] of added) this.#panels.set(exchange, panel);
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

  #panel(exchange: Exchange, rule: RuleResult, at: number, bodyLimit: number): Panel {
    const id = `${this.#prefix}${at}`;
    const markup = exchangePanel(exchange, { id, baseUrl: this.#baseUrl, bodyLimit });
    return { id, rule, markup, bytes: Buffer.byteLength(markup.text) };
  }
}
