import type { ParsedRequest } from '../../documents/parsed-request.ts';
import { CLIENT_RULES } from '../../interface/catalogue/client.ts';
import type { RuleLevel } from '../../interface/catalogue.ts';
import { ExchangeParser, type ParserOptions } from './evidence/exchange-parser.ts';
import type { ParsedExchange } from './evidence/exchange-record.ts';
import { withOneExcused } from './judging/chance.ts';
import { type ClientResult, clientResult, type RunFacts } from './judging/judge-client.ts';
import {
  checksFor,
  listeningRecord,
  listeningRecords,
  type Orders,
} from './judging/rule-result.ts';
import type { Violation } from './rules/check.ts';
import type { CapturedExchange } from './traffic/captured.ts';
import { clockSetsOf, trafficOf } from './traffic/traffic.ts';

/** A rule that a request broke. */
export interface BrokenRule extends Pick<Violation, 'expected' | 'got'> {
  readonly rule: string;
  readonly level: RuleLevel;
}

/** Exchanges that each new one is judged with. */
const WINDOW = 300;
/** Exchanges that the document contains. */
const MAX_EXCHANGES = 2000;
/** Rules whose violations later requests may refute, such as one that uses an earlier token again. */
const REFUTABLE: ReadonlySet<string> = new Set([
  'client/token-reused',
  'client/expired-refreshed',
  'client/user-token-newest',
]);
/** Number of requests after which such a violation is reported. */
const REFUTABLE_FOR = 8;

/** Judges a client's requests one by one, as they arrive. */
export class Listener {
  readonly #parser: ExchangeParser;
  readonly #complete: boolean;
  readonly #orders: Orders;
  readonly #exchanges: ParsedExchange[] = [];
  /** Reported violations, by rule and exchange. */
  readonly #reported = new Set<string>();
  #count = 0;

  /** @param complete whether the client can have no tokens from before */
  constructor({ orders, ...options }: ParserOptions & { orders: Orders }, complete: boolean) {
    this.#parser = new ExchangeParser(options);
    this.#complete = complete;
    this.#orders = orders;
  }

  /** Judges an exchange; returns its request and the violations that it reveals. */
  take(captured: CapturedExchange): { request: ParsedRequest; broken: readonly BrokenRule[] } {
    const exchange = this.#parser.parse(captured);
    this.#count++;
    this.#exchanges.push(exchange);
    if (this.#exchanges.length > MAX_EXCHANGES) this.#exchanges.shift();
    const requests = this.#exchanges.slice(-WINDOW).map(({ observed }) => observed);
    const complete = this.#complete && this.#count <= WINDOW;
    const latest = new Set(requests.slice(-REFUTABLE_FOR).map(({ id }) => id));
    // Those before a step of the clock were judged as they came.
    const record = listeningRecords(requests, complete).at(-1) ?? listeningRecord([], false);
    const clockSetsMs = clockSetsOf(requests);
    const traffic = trafficOf(record.requests, null, record.complete, { clockSetsMs });
    const outcomes = withOneExcused(
      new Map(
        checksFor(this.#orders).map(({ rule, judge }) => [
          rule,
          [{ record, outcome: judge(traffic) }],
        ]),
      ),
    );
    const broken = Array.from(outcomes, ([rule, of]) =>
      of
        .flatMap(({ outcome }) => outcome.violations)
        .filter((violation) => this.#isNew(rule, violation, latest))
        .map(({ expected, got }) => ({ rule, level: levelOf(rule), expected, got })),
    ).flat();
    return { request: exchange.observed, broken };
  }

  /** Judges all exchanges as a whole. */
  result(facts: Pick<RunFacts, 'target' | 'startedAt' | 'finishedAt'>): ClientResult {
    const complete = this.#complete && this.#count <= MAX_EXCHANGES;
    const requests = this.#exchanges.map(({ observed }) => observed);
    const dropped = this.#count - this.#exchanges.length;
    return clientResult(listeningRecords(requests, complete), this.#orders, {
      ...facts,
      suite: 'listening',
      seed: 0,
      exchanges: this.#exchanges,
      notes: [
        'The client was only listened to. Some rules need a scenario: `fareproof certify -- COMMAND` runs the client in each.',
        ...(dropped > 0 ? [`The first ${dropped} exchanges were dropped.`] : []),
      ],
    });
  }

  #isNew(rule: string, { exchange }: Violation, latest: ReadonlySet<string>): boolean {
    const key = `${rule} ${exchange}`;
    if (this.#reported.has(key) || (REFUTABLE.has(rule) && latest.has(exchange))) return false;
    this.#reported.add(key);
    return true;
  }
}

function levelOf(rule: string): RuleLevel {
  return CLIENT_RULES.find(({ id }) => id === rule)?.level ?? 'must';
}
