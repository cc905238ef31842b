import { salvageRequest } from '../parsing/salvage.ts';
import type { CapturedExchange, CapturedRequest } from '../traffic/captured.ts';

/** Intercepts the traffic of a server without changing it, and passes on each exchange. */
export class ExchangeCapture {
  readonly #pass: (captured: CapturedExchange) => void;

  /** @param pass called with each finished exchange */
  constructor(pass: (captured: CapturedExchange) => void) {
    this.#pass = pass;
  }

  /** Passes on an exchange that has ended. */
  onExchange(exchange: Pick<CapturedExchange, 'request' | 'answer' | 'finishedMs'>): void {
    const { request, answer, finishedMs } = exchange;
    this.#pass({ ...this.contextOf(request), request, answer, finishedMs });
  }

  /** Passes on bytes that are not valid HTTP, if a request can be recovered from them. */
  onMalformed(bytes: Uint8Array, receivedMs: number): void {
    const request = salvageRequest(bytes, receivedMs);
    if (request === null) return;
    const answer = { status: 400, headers: {}, body: '' };
    const context = this.contextOf(request);
    this.#pass({ ...context, request, answer, finishedMs: receivedMs, malformed: true });
  }

  protected contextOf(
    _request: CapturedRequest,
  ): Pick<CapturedExchange, 'scenario' | 'sender' | 'stimuli'> {
    return { scenario: null, sender: 'client', stimuli: [] };
  }
}
