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

/**
 * Recovers a request from bytes that are not valid HTTP, such as a request line with a space in its
 * query; null if there is no request line.
 */
export function salvageRequest(bytes: Uint8Array, receivedMs: number): CapturedRequest | null {
  const text = Buffer.from(bytes).toString('latin1');
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const match = /^([A-Z]+) ((?:https?:\/)?\/.*) HTTP\/1\.[01]$/i.exec(line);
  if (!match) return null;
  const headers = fields.flatMap((field) => {
    const at = field.indexOf(':');
    return at < 1 ? [] : [[field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()]];
  });
  return {
    method: match[1] ?? '',
    target: match[2] ?? '',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.from(rest.join('\r\n\r\n'), 'latin1'),
    receivedMs,
  };
}
