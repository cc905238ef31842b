import {
  type ConformanceDocument,
  RULE_VERDICTS,
  type RuleResult,
} from '../../../documents/conformance.ts';
import type { Exchange } from '../../../documents/exchange.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { exchangeLine, exchangePanel } from './exchange-panel.ts';

const BROKEN = new Set<string>(['fail', 'warn', 'inconclusive']);

/** Exchanges named under one rule. */
const PER_RULE = 30;
/** Room for the evidence of all documents of a page, in bytes. */
const ROOM_BYTES = { broken: 200_000, held: 56_000, lines: 60_000 } as const;
/** Characters of a body, under a broken rule and under one that held. */
const BODY_LIMIT = { broken: 4000, held: 600 } as const;

/** Room that is left for evidence, in bytes. */
export interface EvidenceRoom {
  /** In full under what is broken; of all documents together, for most of them have nothing broken. */
  broken: number;
  /** In full under what held, in each document. */
  readonly held: number;
  /** For exchanges in a line, in each document. */
  readonly lines: number;
}

/** The room of a page with so many documents that have evidence. */
export function evidenceRoom(documentCount: number): EvidenceRoom {
  const { broken, held, lines } = ROOM_BYTES;
  const share = Math.max(1, documentCount);
  return { broken, held: held / share, lines: lines / share };
}

/**
 * The evidence of each rule, within the room of its page, of which it takes. Every exchange is shown
 * once, under the worst rule that points to it, and is a link elsewhere. Under what is broken each is
 * shown in full as far as there is room; under what held only the telling one, and the others are a
 * line, unless all of them have room.
 */
export function evidenceOf(
  document: ConformanceDocument,
  prefix: string,
  room: EvidenceRoom,
): Map<RuleResult, Content> {
  const byId = new Map(document.exchanges.map((exchange) => [exchange.id, exchange]));
  const panels = new Panels(prefix, document.target.baseUrl, room);
  const cited = inOrderOfUrgency(document.rules)
    .filter((rule) => rule.exchanges.length > 0)
    .map((rule) => {
      const known = [...new Set(rule.exchanges)].flatMap((id) => byId.get(id) ?? []);
      return { rule, known, isBroken: BROKEN.has(rule.verdict) };
    });
  // In full first, whatever its rule: a line under one rule may link to a panel of any other.
  for (const { rule, known, isBroken } of cited) {
    const telling = isBroken ? known : [tellingOf(known)].flatMap((one) => one ?? []);
    for (const exchange of telling.slice(0, PER_RULE)) panels.draw(exchange, rule, isBroken);
  }
  // What is left, if all of it has room: to show some of it in full would be a choice without a reason.
  panels.drawAll(
    cited.flatMap(({ rule, known }) =>
      known.slice(0, PER_RULE).map((exchange) => ({ exchange, rule })),
    ),
  );
  return new Map(cited.map(({ rule, known }) => [rule, evidenceOfRule(rule, known, panels)]));
}

function evidenceOfRule(rule: RuleResult, known: readonly Exchange[], panels: Panels): Content {
  const shown = known.slice(0, PER_RULE).flatMap((exchange) => {
    const markup = panels.under(rule, exchange);
    return markup ? [{ id: exchange.id, markup }] : [];
  });
  const named = new Set(shown.map(({ id }) => id));
  const leftOut = rule.exchanges.filter((id) => !named.has(id));
  return html`<h5>Evidence</h5><div class="evidence">${shown.map(({ markup }) => markup)}</div>${
    leftOut.length > 0 &&
    html`<p class="meta">Not on this page, to keep it small: ${leftOut.slice(0, 40).join(', ')}${
      leftOut.length > 40 && ' …'
    }. The run document (run.json) holds them.</p>`
  }`;
}

/** The last exchange that is no control: what the verdict was drawn from. */
function tellingOf(exchanges: readonly Exchange[]): Exchange | undefined {
  return exchanges.findLast(({ purpose }) => !/\bcontrol\b/i.test(purpose)) ?? exchanges[0];
}

function inOrderOfUrgency(rules: readonly RuleResult[]): RuleResult[] {
  return [...rules].sort(
    (a, b) => RULE_VERDICTS.indexOf(a.verdict) - RULE_VERDICTS.indexOf(b.verdict),
  );
}

interface Panel {
  readonly id: string;
  /** Under which it stands. */
  readonly rule: RuleResult;
  readonly markup: Markup;
}

class Panels {
  readonly #prefix: string;
  readonly #baseUrl: string;
  readonly #room: EvidenceRoom;
  #held: number;
  #lines: number;
  readonly #drawn = new Map<Exchange, Panel>();

  constructor(prefix: string, baseUrl: string, room: EvidenceRoom) {
    this.#prefix = prefix;
    this.#baseUrl = baseUrl;
    this.#room = room;
    this.#held = room.held;
    this.#lines = room.lines;
  }

  /** Draws an exchange under a rule, unless it stands somewhere already or has no room. */
  draw(exchange: Exchange, rule: RuleResult, isBroken: boolean): void {
    if (this.#drawn.has(exchange)) return;
    const limit = isBroken ? BODY_LIMIT.broken : BODY_LIMIT.held;
    const panel = this.#panel(exchange, rule, this.#drawn.size, limit);
    const bytes = Buffer.byteLength(panel.markup.text);
    if (bytes > (isBroken ? this.#room.broken : this.#held)) return;
    if (isBroken) this.#room.broken -= bytes;
    else this.#held -= bytes;
    this.#drawn.set(exchange, panel);
  }

  /** Draws all of these that stand nowhere yet, or none where there is no room for all. */
  drawAll(cited: readonly { readonly exchange: Exchange; readonly rule: RuleResult }[]): void {
    const drawn = new Map<Exchange, Panel>();
    let bytes = 0;
    for (const { exchange, rule } of cited) {
      if (this.#drawn.has(exchange) || drawn.has(exchange)) continue;
      const at = this.#drawn.size + drawn.size;
      const panel = this.#panel(exchange, rule, at, BODY_LIMIT.held);
      bytes += Buffer.byteLength(panel.markup.text);
      if (bytes > this.#held) return;
      drawn.set(exchange, panel);
    }
    this.#held -= bytes;
    for (const [exchange, panel] of drawn) this.#drawn.set(exchange, panel);
  }

  #panel(exchange: Exchange, rule: RuleResult, at: number, bodyLimit: number): Panel {
    const id = `${this.#prefix}${at}`;
    return { id, rule, markup: exchangePanel(exchange, { id, baseUrl: this.#baseUrl, bodyLimit }) };
  }

  /** An exchange as it stands under one rule: drawn, or a line that links to where it is. */
  under(rule: RuleResult, exchange: Exchange): Markup | null {
    const panel = this.#drawn.get(exchange);
    if (panel?.rule === rule) return panel.markup;
    const line = exchangeLine(exchange, this.#baseUrl, panel?.id ?? null);
    const bytes = Buffer.byteLength(line.text);
    if (bytes > this.#lines) return null;
    this.#lines -= bytes;
    return line;
  }
}
