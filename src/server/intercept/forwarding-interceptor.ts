import type { Forwarder } from './forwarder.ts';
import type {
  InterceptedExchange,
  InterceptedRequest,
  Interceptor,
  OutgoingAnswer,
} from './interceptor.ts';

/** Answers every request by forwarding it to a target, and reports each exchange to an observer. */
export class ForwardingInterceptor implements Interceptor {
  readonly #forwarder: Forwarder;
  readonly #observer: Interceptor;
  readonly #unanswered = new Set<InterceptedRequest>();

  constructor(forwarder: Forwarder, observer: Interceptor) {
    this.#forwarder = forwarder;
    this.#observer = observer;
  }

  respond(request: InterceptedRequest): Promise<OutgoingAnswer> {
    this.#unanswered.add(request);
    return this.#forwarder.forward(request);
  }

  onExchange(exchange: InterceptedExchange): void {
    if (this.#unanswered.delete(exchange.request)) this.#observer.onExchange(exchange);
  }

  onMalformed(bytes: Uint8Array, receivedMs: number): void {
    this.#observer.onMalformed?.(bytes, receivedMs);
  }

  /** Gives up the requests that the target has not answered; they are not reported later. */
  takeUnanswered(): readonly InterceptedRequest[] {
    const requests = [...this.#unanswered];
    this.#unanswered.clear();
    return requests;
  }

  /** Closes every connection to the target; requests that wait for an answer get 502. */
  close(): Promise<void> {
    return this.#forwarder.close();
  }
}
