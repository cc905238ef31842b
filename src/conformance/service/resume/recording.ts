import type { TransportErrorCode } from '../http/failure.ts';
import type { WireOutcome } from '../http/transport.ts';
import type { EarlierExchange, EarlierPart } from './run-log.ts';
import { isLost } from './run-log.ts';

/** What a request came to that an earlier part of the run sent. */
export interface ReplayedAnswer {
  readonly id: string;
  readonly outcome: WireOutcome;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/**
 * The requests that an earlier part of the run sent, by key. A check that runs again is answered from
 * here as far as it had come, so that no request that counts goes out twice.
 */
export class Recording {
  readonly #byKey = new Map<string, EarlierExchange>();
  readonly #unredacted: ReadonlyMap<string, string>;
  readonly #lost = new Set<string>();

  /**
   * @param unredacted tokens by their pseudonyms; what follows in a check is sent with them
   * @param isOver whether nothing more is sent, not even what would be sent again
   */
  constructor(
    past: Pick<EarlierPart, 'exchanges'> | null,
    unredacted: ReadonlyMap<string, string>,
    isOver = false,
  ) {
    this.#unredacted = unredacted;
    for (const one of past?.exchanges ?? []) {
      const { key } = one.exchange;
      if (key !== undefined && (isOver || counts(one))) this.#byKey.set(key, one);
    }
  }

  /** When a request was sent, in ms of the target's time; null for one that was not. */
  sentAt(key: string): number | null {
    return this.#byKey.get(key)?.sentAtMs ?? null;
  }

  /** What a request came to; null for one that was not sent. */
  replay(key: string): ReplayedAnswer | null {
    const past = this.#byKey.get(key);
    if (!past) return null;
    const { exchange, sentAtMs, answeredAtMs } = past;
    if (isLost(past)) this.#lost.add(key);
    return { id: exchange.id, outcome: this.#outcomeOf(past), sentAtMs, answeredAtMs };
  }

  /** Whether an answer was recalled that is lost, to a request of those whose keys begin so. */
  hasLost(keyStart: string): boolean {
    return [...this.#lost].some((key) => key.startsWith(keyStart));
  }

  #outcomeOf({ exchange: { response, error } }: EarlierExchange): WireOutcome {
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

/** An estimate without an answer may be asked again, and so may what never reached the target. */
function counts({ exchange: { request, response, error } }: EarlierExchange): boolean {
  if (response) return true;
  const unsent = error?.code.startsWith('CONNECT_') || error?.code === 'TARGET_GIVEN_UP';
  return request.method === 'POST' && !unsent;
}
