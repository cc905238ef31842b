import type { SteadyClock } from '../../steady-clock.ts';
import type { CapturedAnswer, CapturedExchange, CapturedRequest } from '../traffic/captured.ts';
import { Overlaps } from './overlaps.ts';

/** Longest time that a request noted at a time may have waited, both in ms. */
export type DelayAt = (notedMs: number) => number;

/** Watches of this machine, which put the time of a request in doubt. */
export interface MachineWatch {
  /** Left out, requests never wait. */
  readonly delayAt?: DelayAt | undefined;
  /** Left out, this machine's clock is not set. */
  readonly clock?: SteadyClock | undefined;
}

/** The part of a scenario in an exchange. */
export type ExchangeContext = Pick<CapturedExchange, 'scenario' | 'attempt' | 'sender' | 'stimuli'>;

/** Intercepts the traffic of a server without changing it, and passes on each exchange. */
export class ExchangeCapture {
  readonly #onCaptured: (captured: CapturedExchange) => void;
  readonly #watch: MachineWatch;
  readonly #overlaps = new Overlaps();
  readonly #numbers = new WeakMap<object, number>();
  #connections = 0;

  /** @param onCaptured called with each finished exchange */
  constructor(onCaptured: (captured: CapturedExchange) => void, watch: MachineWatch = {}) {
    this.#onCaptured = onCaptured;
    this.#watch = watch;
  }

  /** Notes that a client has opened a connection. */
  onConnect(connection: object): void {
    this.#overlaps.connected(connection);
  }

  /** Notes a request; leaves the answer to the service. */
  respond(request: CapturedRequest): CapturedAnswer | null {
    if (this.contextOf(request).sender === 'client') this.#overlaps.arrived(request);
    return null;
  }

  /** Passes on an exchange that has ended. */
  onExchange(exchange: Pick<CapturedExchange, 'request' | 'answer' | 'finishedMs'>): void {
    const { request, answer, finishedMs } = exchange;
    const context = this.contextOf(request);
    if (context.sender === 'client') this.#overlaps.ended(request);
    const overlaps = this.#overlaps.has(request);
    this.#pass({ ...context, request, answer, finishedMs, overlaps });
  }

  /** Passes on a request whose connection ended before its body did. */
  onAborted(request: CapturedRequest): void {
    const incomplete = { ...request, isIncomplete: true };
    this.#pass({ ...this.contextOf(request), request: incomplete, answer: null, finishedMs: null });
  }

  /** Passes on a request that was refused before its body was read. */
  onUnread(request: CapturedRequest, answer: CapturedAnswer): void {
    const context = this.contextOf(request);
    const finishedMs = request.receivedMs;
    this.#pass({ ...context, request, answer, finishedMs, malformed: true, isUnread: true });
  }

  /** Passes on bytes that are not valid HTTP, as far as a request can be recovered from them. */
  onMalformed(bytes: Uint8Array, receivedMs: number): void {
    const request = salvageRequest(bytes, receivedMs);
    const answer = { status: 400, headers: {}, body: 'These bytes are not a valid HTTP request.' };
    const context = this.contextOf(request);
    this.#pass({ ...context, request, answer, finishedMs: receivedMs, malformed: true });
  }

  #pass(captured: CapturedExchange): void {
    const { connection: socket, receivedMs } = captured.request;
    const { delayAt, clock } = this.#watch;
    const delayMs = delayAt?.(receivedMs) ?? 0;
    const clockSetByMs = clock?.steps.setByMs ?? 0;
    const connection = socket && this.#numberOf(socket);
    this.#onCaptured({
      ...captured,
      ...(connection !== undefined && { connection }),
      ...(delayMs > 0 && { delayMs }),
      ...(clockSetByMs !== 0 && { clockSetByMs }),
    });
  }

  #numberOf(socket: object): number {
    const number = this.#numbers.get(socket) ?? ++this.#connections;
    this.#numbers.set(socket, number);
    return number;
  }

  protected contextOf(_request: CapturedRequest): ExchangeContext {
    return { scenario: null, sender: 'client', stimuli: [] };
  }
}

/**
 * Recovers a request from bytes that are not valid HTTP, such as a request line with a space in its
 * query. Without a request line, the bytes are the body of a request without method and target.
 */
export function salvageRequest(bytes: Uint8Array, receivedMs: number): CapturedRequest {
  const text = Buffer.from(bytes).toString('latin1');
  const [head = '', ...rest] = text.split(/\r?\n\r?\n/);
  const [line = '', ...fields] = head.split(/\r?\n/);
  const match = /^([A-Z]+) ((?:https?:\/)?\/.*) HTTP\/1\.[01]$/i.exec(line);
  if (!match) return { method: '', target: '', headers: {}, body: bytes, receivedMs };
  const headers = fields.flatMap((field) => {
    const at = field.indexOf(':');
    return at < 1 ? [] : [[field.slice(0, at).trim().toLowerCase(), field.slice(at + 1).trim()]];
  });
  return {
    method: match[1] ?? '',
    target: match[2] ?? '',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.from(rest.join('\r\n\r\n'), 'latin1'),
    receivedMs,
  };
}
