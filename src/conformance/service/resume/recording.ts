import type { Headers, Part } from '../../../documents/exchange.ts';
import type { Exchange } from '../../../documents/sealed.ts';
import type { TransportErrorCode } from '../../../interface/connection-failure.ts';
import { FareproofError } from '../../../interface/errors.ts';
import { isOf, keyOf, type SentBy } from '../contract/part-of-run.ts';
import type { RequestResult, WireOutcome, WireRequest } from '../http/message.ts';
import { isLost, type LoggedExchange } from './run-log.ts';

/**
 * Requests that an earlier part of the run sent. A check that runs again is answered from
 * here as far as it had come, so that no request that counts is sent twice.
 */
export class Recording {
  readonly #byKey = new Map<string, LoggedExchange<Exchange>>();
  readonly #exchanges: readonly LoggedExchange<Exchange>[];
  readonly #unredacted: ReadonlyMap<string, string>;
  readonly #isComplete: boolean;
  readonly #lost = new Set<Part>();

  /**
   * @param unredacted tokens by pseudonym, for the requests that a check sends next
   * @param isComplete true if nothing more is sent: requests that may be repeated are replayed too
   */
  constructor(
    exchanges: readonly LoggedExchange<Exchange>[],
    unredacted: ReadonlyMap<string, string>,
    isComplete = false,
  ) {
    this.#unredacted = unredacted;
    this.#exchanges = exchanges;
    this.#isComplete = isComplete;
    for (const one of exchanges) {
      const { part } = one.exchange;
      if (part && (isComplete || isFinal(one))) this.#byKey.set(keyOf(part), one);
    }
  }

  /** All exchanges, with known tokens in place of their pseudonyms: those that are sent next have them too. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges.map(({ exchange }) => {
      const { request, response, signed, made } = exchange;
      const plain = (text: string): string => this.#withTokens(text, (token) => token);
      const byText = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
        Object.fromEntries(Object.entries(record).map(([text, one]) => [plain(text), one]));
      const headers = Object.entries(request.headers).map(([name, value]) => [name, plain(value)]);
      const body = request.body === null ? null : this.#withTokens(request.body, inJson);
      return {
        ...exchange,
        ...(signed ? { signed: { ...signed, text: signed.text && plain(signed.text) } } : {}),
        ...(made ? { made: byText(made) } : {}),
        request: { ...request, headers: Object.fromEntries(headers) as Headers, body },
        response: response && { ...response, body: this.#withTokens(response.body, inJson) },
      };
    });
  }

  /** Exchanges of the earlier part of a run that continues, in their order; none for a stored run. */
  get earlier(): readonly LoggedExchange<Exchange>[] {
    return this.#isComplete ? [] : this.#exchanges;
  }

  /** Checks whether the request of a part was sent. */
  has(part: Part): boolean {
    return this.#byKey.has(keyOf(part));
  }

  /** Checks whether any request of a sender was sent. */
  hasAny(sender: SentBy): boolean {
    return [...this.#byKey.values()].some(({ exchange: { part } }) => part && isOf(part, sender));
  }

  /** Target's time at which a request was sent, in ms; null if it was not. */
  sentAt(part: Part): number | null {
    return this.#byKey.get(keyOf(part))?.sentAtMs ?? null;
  }

  /**
   * Result of a request; null if it was not sent. Without its tokens, or with an answer that was lost, a check that
   * runs again may go another way: an estimate in place of another one is sent.
   *
   * @throws FareproofError `EXCHANGE_MISSING` for a token request in place of another request: it may count
   */
  replay(part: Part, wire: Sent): RequestResult | null {
    const logged = this.#byKey.get(keyOf(part));
    if (!logged) return null;
    const { exchange, sentAtMs, answeredAtMs } = logged;
    const { request } = exchange;
    if (kindOf(request) !== kindOf(wire)) {
      if (wire.method === 'POST' || request.method === 'POST')
        throw new FareproofError(
          'EXCHANGE_MISSING',
          `the part of the run before this one sent another request in its place: ${request.method} ${request.url}`,
        );
      this.#byKey.delete(keyOf(part));
      return null;
    }
    if (isLost(logged)) this.#lost.add(part);
    return { id: exchange.id, outcome: this.#outcomeOf(logged), sentAtMs, answeredAtMs };
  }

  /** Checks whether a lost answer was replayed to a sender. */
  hasLost(sender: SentBy): boolean {
    return [...this.#lost].some((part) => isOf(part, sender));
  }

  #outcomeOf({ exchange: { response, error } }: LoggedExchange<Exchange>): WireOutcome {
    if (!response) {
      const { code, message } = error ?? { code: 'ANSWER_LOST', message: 'the response is lost' };
      return { response: null, error: { code: code as TransportErrorCode, message } };
    }
    const body = this.#withTokens(response.body, inJson);
    return { response: { ...response, body }, error: null };
  }

  #withTokens(text: string, write: (token: string) => string): string {
    return text.replace(/\[[a-z_]+ \d+\]/g, (pseudonym) => {
      const token = this.#unredacted.get(pseudonym);
      return token === undefined ? pseudonym : write(token);
    });
  }
}

/** A request, as far as it is one of a kind. */
type Sent = Pick<WireRequest, 'method' | 'url' | 'body'>;

/** Kind of a request: its method, its grant, its product, and the names of its parameters. */
function kindOf({ method, url, body }: Sent): string {
  if (method === 'POST') return /"grant_type"\s*:\s*"[^"]*"/.exec(body ?? '')?.[0] ?? method;
  const query = new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? '');
  const names = [...new Set(query.keys())].sort();
  return [method, query.get('product_type'), query.get('ride_type'), ...names].join(' ');
}

/** A text as it stands within one of JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** An estimate without a response may be asked again, and so may what never reached the target. */
function isFinal({ exchange: { request, response, error } }: LoggedExchange<Exchange>): boolean {
  if (response) return true;
  const unsent = error?.code.startsWith('CONNECT_') || error?.code === 'TARGET_GIVEN_UP';
  return request.method === 'POST' && !unsent;
}
