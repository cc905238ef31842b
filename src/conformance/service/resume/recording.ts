import type { RequestResult, TransportErrorCode, WireOutcome } from '../http/message.ts';
import { isLost, type LoggedExchange } from './run-log.ts';

/**
 * Requests that an earlier part of the run sent, by key. A check that runs again is answered from
 * here as far as it had come, so that no request that counts is sent twice.
 */
export class Recording {
  readonly #byKey = new Map<string, LoggedExchange>();
  readonly #unredacted: ReadonlyMap<string, string>;
  readonly #lost = new Set<string>();

  /**
   * @param unredacted tokens by pseudonym, for the requests that a check sends next
   * @param isComplete true if nothing more is sent: requests that may be repeated are replayed too
   */
  constructor(
    exchanges: readonly LoggedExchange[],
    unredacted: ReadonlyMap<string, string>,
    isComplete = false,
  ) {
    this.#unredacted = unredacted;
    for (const one of exchanges) {
      const { key } = one.exchange;
      if (key !== undefined && (isComplete || isFinal(one))) this.#byKey.set(key, one);
    }
  }

  /** Checks whether the request of that key was sent. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Checks whether a request was sent whose key starts so. */
  hasAny(keyStart: string): boolean {
    return [...this.#byKey.keys()].some((key) => key.startsWith(keyStart));
  }

  /** Target's time at which a request was sent, in ms; null if it was not. */
  sentAt(key: string): number | null {
    return this.#byKey.get(key)?.sentAtMs ?? null;
  }

  /** Result of a request; null if it was not sent. */
  replay(key: string): RequestResult | null {
    const logged = this.#byKey.get(key);
    if (!logged) return null;
    const { exchange, sentAtMs, answeredAtMs } = logged;
    if (isLost(logged)) this.#lost.add(key);
    return { id: exchange.id, outcome: this.#outcomeOf(logged), sentAtMs, answeredAtMs };
  }

  /** Checks whether a lost answer was replayed for a key that starts so. */
  hasLost(keyStart: string): boolean {
    return [...this.#lost].some((key) => key.startsWith(keyStart));
  }

  #outcomeOf({ exchange: { response, error } }: LoggedExchange): WireOutcome {
    if (!response) {
      const { code, message } = error ?? { code: 'ANSWER_LOST', message: 'the answer is lost' };
      return { response: null, error: { code: code as TransportErrorCode, message } };
    }
    const body = response.body.replace(/\[[a-z_]+ \d+\]/g, (pseudonym) => {
      const token = this.#unredacted.get(pseudonym);
      return token === undefined ? pseudonym : JSON.stringify(token).slice(1, -1);
    });
    return { response: { ...response, body }, error: null };
  }
}

/** An estimate without a response may be asked again, and so may what never reached the target. */
function isFinal({ exchange: { request, response, error } }: LoggedExchange): boolean {
  if (response) return true;
  const unsent = error?.code.startsWith('CONNECT_') || error?.code === 'TARGET_GIVEN_UP';
  return request.method === 'POST' && !unsent;
}
