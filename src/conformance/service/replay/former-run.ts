import type { ConformanceDocument, RuleResult } from '../../../documents/conformance.ts';
import type { Anew, Exchange } from '../../../documents/exchange.ts';
import type { StoredTarget } from '../../../documents/stored-target.ts';
import { TOKEN_PATH } from '../../../interface/limits.ts';
import { sentMs } from '../../model/asked.ts';
import { parseJson } from '../../parse-json.ts';
import { sentFields } from '../recheck/stored-session.ts';

/** Text of a request that is new whenever it is made, and what takes its place. */
export type NewText = Anew & { readonly text: string };

/** Texts of a request that are new whenever it is made. */
export function anewOf({ made = {} }: Pick<Exchange, 'made'>): NewText[] {
  return Object.entries(made).map(([text, one]) => ({ text, ...one }));
}

/** Rules, exchanges and targets of a run. */
export type StoredExchanges = Pick<ConformanceDocument, 'rules' | 'exchanges' | 'sites'>;

/** A run whose exchanges are to be sent again. */
export class FormerRun {
  readonly rules: readonly RuleResult[];
  readonly exchanges: readonly Exchange[];
  readonly #targets: readonly StoredTarget[];
  readonly #places: ReadonlyMap<string, number>;

  constructor({ rules, exchanges, sites = [] }: StoredExchanges) {
    this.rules = rules;
    this.exchanges = exchanges;
    this.#targets = sites;
    this.#places = new Map(exchanges.map(({ id }, at) => [id, at]));
  }

  /** The exchange of an id. */
  find(id: string): Exchange {
    const found = this.exchanges[this.#placeOf(id)];
    if (found) return found;
    throw new Error(`the run has no exchange ${id}`);
  }

  /** Target that an exchange was with; null for a request to a control API. */
  targetOf({ request: { url } }: Pick<Exchange, 'request'>): StoredTarget | null {
    return this.#targets.find(({ baseUrl }) => url.startsWith(`${baseUrl}/`)) ?? null;
  }

  /** True for a request to the token endpoint. */
  isTokenRequest(exchange: Exchange): boolean {
    const { url } = exchange.request;
    const endpoint = `${this.targetOf(exchange)?.baseUrl}${TOKEN_PATH}`;
    return url === endpoint || url.startsWith(`${endpoint}?`);
  }

  /** Exchanges that were sent before another one, and after an earlier one. */
  before({ id }: Exchange, after?: Exchange): Exchange[] {
    return this.exchanges.slice(after ? this.#placeOf(after.id) + 1 : 0, this.#placeOf(id));
  }

  /** Token request that a secret of an exchange came from; null for another one. */
  originOf({ from = '' }: Anew, { id }: Exchange): Exchange | null {
    const place = this.#placeOf(from);
    return (place < this.#placeOf(id) ? this.exchanges[place] : undefined) ?? null;
  }

  /** True for a request that brings tokens of a user: by an auth code, or a refresh_token that came from one. */
  isOfUser(exchange: Exchange): boolean {
    return anewOf(exchange).some((one) => {
      const origin = this.originOf(one, exchange);
      return one.is === 'auth_code' || (origin !== null && this.isOfUser(origin));
    });
  }

  /**
   * Requests that bring the tokens of an exchange, each once and after those that bring its own.
   *
   * @param replaces checks whether a token needs no request, as another one takes its place
   */
  bringersOf(
    exchange: Exchange,
    replaces: (one: Anew, origin: Exchange) => boolean,
  ): readonly Exchange[] {
    const found = new Set<Exchange>();
    const visit = (user: Exchange): void => {
      for (const one of anewOf(user)) {
        const origin = this.originOf(one, user);
        if (!origin || found.has(origin) || replaces(one, origin)) continue;
        visit(origin);
        found.add(origin);
      }
    };
    visit(exchange);
    return [...found];
  }

  #placeOf(id: string): number {
    return this.#places.get(id) ?? this.exchanges.length;
  }
}

/** True for a request that brings an ordinary platform token. */
export function bringsPlain(exchange: Exchange): boolean {
  const { grant_type: grant, scope = 'public' } = sentFields(exchange) ?? {};
  return grant === 'client_credentials' && scope === 'public';
}

/** Refresh tokens do not expire: one this old is sent to show that. */
const MOST_REFRESH_AGE_MS = 86_400_000;

/** Share of an access token's life beyond which the exchange may be about its age. */
const MOST_SHARE_OF_LIFE = 0.5;

/** Life of the access token that a token request brought, in ms; null if its answer does not say. */
export function lifeMsOf({ response }: Exchange): number | null {
  const answer = parseJson(response?.body ?? '') as Readonly<Record<string, unknown>> | undefined;
  const seconds = Number(answer?.['expires_in_second']);
  return seconds > 0 ? seconds * 1000 : null;
}

/** True for an exchange that may be about the age of a token that it has from an earlier one. */
export function isAged({ is }: Anew, exchange: Exchange, origin: Exchange): boolean {
  const ageMs = sentMs(exchange) - sentMs(origin);
  if (is === 'refresh_token') return ageMs > MOST_REFRESH_AGE_MS;
  const lifeMs = lifeMsOf(origin);
  return lifeMs !== null && ageMs > lifeMs * MOST_SHARE_OF_LIFE;
}
