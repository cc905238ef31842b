import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type {
  InterceptedAnswer,
  InterceptedRequest,
  Interceptor,
  OutgoingAnswer,
} from '../intercept/interceptor.ts';
import type { Answer } from '../messages.ts';
import { headersOf } from './write-answer.ts';

/** A request that an interceptor sees, and the means to answer it. */
export interface ExchangeOptions {
  readonly interceptor: Interceptor;
  readonly request: InterceptedRequest;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** True if the connection closes after the answer. */
  readonly closes: boolean;
  /** Asks the service for its answer. */
  readonly serve: () => Answer | Promise<Answer>;
}

/** The request as an interceptor sees it. */
export function interceptedRequest(
  message: IncomingMessage,
  body: Uint8Array,
  receivedMs: number,
): InterceptedRequest {
  const headers = Object.entries(message.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return {
    method: message.method ?? '',
    target: message.url ?? '',
    headers: Object.fromEntries(headers) as Record<string, string>,
    rawHeaders: message.rawHeaders,
    body,
    connection: message.socket,
    receivedMs,
  };
}

/** Answers a request as its interceptor decides, and reports the exchange to it. */
export async function runExchange(exchange: ExchangeOptions): Promise<void> {
  const { interceptor, request, response, clock } = exchange;
  const outgoing = await decide(exchange);
  if (outgoing.delayMs) await new Promise((later) => setTimeout(later, outgoing.delayMs));
  let finishedMs: number | null = null;
  const report = (): void => {
    const { status, headers, body } = outgoing;
    interceptor.onExchange({
      request,
      answer: { status, headers, body },
      finishedMs: outgoing.cut ? null : finishedMs,
    });
  };
  // The client may have closed the connection while the answer was made.
  if (response.closed) return report();
  response.once('finish', () => {
    finishedMs = clock.now();
  });
  response.once('close', report);
  if (response.destroyed) return;
  const body = outgoing.raw?.body ?? Buffer.from(outgoing.body);
  writeHead(exchange, outgoing, body.length);
  if (!outgoing.cut) {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.socket?.destroy());
}

async function decide({
  interceptor,
  request,
  closes,
  serve,
}: ExchangeOptions): Promise<OutgoingAnswer> {
  const own = await interceptor.respond?.(request);
  if (own) return own;
  const answer = await serve();
  const { status, body } = answer;
  const headers = Object.fromEntries(
    Object.entries(headersOf(answer, closes)).map(([name, value]) => [name, String(value)]),
  );
  const served: InterceptedAnswer = { status, headers, body };
  return (await interceptor.rewrite?.(request, served)) ?? served;
}

function writeHead(
  { response, request, closes }: ExchangeOptions,
  { status, headers, raw }: OutgoingAnswer,
  bodyBytes: number,
): void {
  if (raw === undefined) {
    const last = closes && { Connection: 'close' };
    response.writeHead(status, { ...headers, 'Content-Length': bodyBytes, ...last });
    return;
  }
  const last = closes ? ['Connection', 'close'] : [];
  response.sendDate = false;
  const isWithoutBody = request.method === 'HEAD' || status === 204 || status === 304;
  const length = isWithoutBody ? [] : ['Content-Length', String(bodyBytes)];
  response.writeHead(status, raw.statusText, [...raw.headers, ...length, ...last]);
}
