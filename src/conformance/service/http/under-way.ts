import type { Exchange, ExchangeProgress } from './exchange.ts';
import type { WireOutcome } from './message.ts';
import { type After, OutgoingRequest } from './request.ts';

/** Limits of requests under way. */
export interface UnderWayOptions {
  /** Limit of a whole exchange, connection and body included. */
  readonly timeoutMs: number;
  /** Leaves requests under way a short grace period when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Left out, by the time of the machine. */
  readonly after?: After | undefined;
}

/** The requests of a transport that are under way, each with its deadline. */
export class UnderWay {
  readonly #options: UnderWayOptions;
  readonly #requests = new Set<OutgoingRequest>();
  // One listener, however many requests are under way.
  readonly #hurryAll = (): void => {
    for (const one of this.#requests) one.hurry();
  };

  constructor(options: UnderWayOptions) {
    this.#options = options;
    options.signal?.addEventListener('abort', this.#hurryAll, { once: true });
  }

  /** Sends a request by the exchange that `open` gives; never rejects. */
  async run(
    open: (progress: ExchangeProgress) => Exchange,
  ): Promise<Pick<OutgoingRequest, 'isBegun' | 'isReused'> & { readonly outcome: WireOutcome }> {
    const { timeoutMs, signal, after } = this.#options;
    const outgoing = new OutgoingRequest(timeoutMs, open, after);
    this.#requests.add(outgoing);
    if (signal?.aborted) outgoing.hurry();
    const outcome = await outgoing.outcome();
    this.#requests.delete(outgoing);
    return { outcome, isBegun: outgoing.isBegun, isReused: outgoing.isReused };
  }

  close(): void {
    this.#options.signal?.removeEventListener('abort', this.#hurryAll);
  }
}
