import type { RuleLevel } from '../../interface/catalogue.ts';
import { CLIENT_RULES } from '../../interface/catalogue.ts';
import type { ClientResult } from './certify-client.ts';
import { spendOf } from './certify-client.ts';
import {
  ExchangeParser,
  type ParsedExchange,
  type ParserOptions,
} from './evidence/exchange-parser.ts';
import { judgeClient, judgeOne, overallVerdict, trafficOfRecord } from './judge.ts';
import { CLIENT_CHECKS } from './rules/all.ts';
import type { CapturedExchange } from './traffic/captured.ts';
import type { ParsedRequest } from './traffic/parsed-request.ts';

/** What a request that came in broke. */
export interface Judgement {
  readonly rule: string;
  readonly level: RuleLevel;
  readonly expected: string;
  readonly got: string;
}

/** How many requests back are looked at for each new one. */
const WINDOW = 300;
/**
 * What may look broken until later requests show that it is not, such as a token that is used again,
 * is told after so many more of them.
 */
const TOLD_LATER: ReadonlySet<string> = new Set([
  'client/token-reused',
  'client/expired-refreshed',
]);
const LATER = 8;
/** Exchanges that are kept for the document. */
const KEPT = 2000;

/** Judges a client's requests one by one, as they come. */
export class Listener {
  readonly #parser: ExchangeParser;
  readonly #complete: boolean;
  readonly #parsed: ParsedExchange[] = [];
  readonly #told = new Set<string>();
  #count = 0;

  /** @param complete whether a client can have no token from before */
  constructor(options: ParserOptions, complete: boolean) {
    this.#parser = new ExchangeParser(options);
    this.#complete = complete;
  }

  /** How many requests of the client came in. */
  get count(): number {
    return this.#count;
  }

  /** Takes one exchange; returns it read, and what came to light by it. */
  take(captured: CapturedExchange): { observed: ParsedRequest; broken: readonly Judgement[] } {
    const parsed = this.#parser.read(captured);
    this.#count++;
    this.#parsed.push(parsed);
    if (this.#parsed.length > KEPT) this.#parsed.shift();
    const observed = this.#parsed.slice(-WINDOW).map((one) => one.observed);
    const traffic = trafficOfRecord({
      frame: null,
      judges: [],
      exitCode: null,
      complete: this.#complete && this.#count <= WINDOW,
      observed,
    });
    const latest = new Set(observed.slice(-LATER).map(({ id }) => id));
    const broken = CLIENT_CHECKS.flatMap((check) =>
      judgeOne(check, traffic).violations.flatMap(({ exchange, expected, got }) => {
        const key = `${check.rule} ${exchange}`;
        if (this.#told.has(key)) return [];
        if (TOLD_LATER.has(check.rule) && latest.has(exchange)) return [];
        this.#told.add(key);
        const level = CLIENT_RULES.find(({ id }) => id === check.rule)?.level ?? 'must';
        return [{ rule: check.rule, level, expected, got }];
      }),
    );
    return { observed: parsed.observed, broken };
  }

  /** Everything that came in, judged as a whole. */
  result(about: Pick<ClientResult, 'target' | 'startedAt' | 'finishedAt'>): ClientResult {
    const record = {
      frame: null,
      judges: [],
      exitCode: null,
      complete: this.#complete && this.#count <= KEPT,
      observed: this.#parsed.map(({ observed }) => observed),
    };
    const judgement = judgeClient([record]);
    const dropped = this.#count - this.#parsed.length;
    return {
      kind: 'conformance',
      side: 'client',
      ...about,
      suite: 'listening',
      seed: 0,
      ...overallVerdict(judgement),
      rules: judgement.rules,
      gaps: [],
      spend: spendOf([record]),
      exchanges: this.#parsed.map(({ exchange }) => exchange),
      scenarios: [],
      notes: [
        'The client was listened to as it went; no scenario was run. Some rules need one: `fareproof certify -- COMMAND` runs the client in each.',
        ...(dropped > 0 ? [`The first ${dropped} exchanges were dropped.`] : []),
      ],
    };
  }
}
