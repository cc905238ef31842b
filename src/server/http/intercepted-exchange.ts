import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  InterceptedAnswer,
  InterceptedRequest,
  Interceptor,
  OutgoingAnswer,
} from '../intercept/interceptor.ts';
import type { Clock } from '../service/clock.ts';
import type { Answer } from '../service/messages.ts';
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

/** Time in which the machine of a client that is gone refuses what was written to it. */
const REFUSAL_MS = 25;

/** Answers a request as its interceptor decides, and reports the exchange to it. */
export async function runExchange(exchange: ExchangeOptions): Promise<void> {
  const { interceptor, request, response, clock } = exchange;
  const outgoing = await decide(exchange);
  if (outgoing.delayMs) await sleep(outgoing.delayMs);
  let finishedMs: number | null = null;
  const finish = (): void => {
    finishedMs = clock.now();
  };
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
  response.once('close', report);
  if (response.destroyed) return;
  const body = outgoing.raw?.body ?? Buffer.from(outgoing.body);
  const half = Math.ceil(body.length / 2);
  writeHead(exchange, outgoing, body.length);
  if (outgoing.cut) response.write(body.subarray(0, half), () => response.socket?.destroy());
  else if (response.socket?.readableEnded) await endInTwo(response, body, half, finish);
  else response.once('finish', finish).end(body);
}

/**
 * Answers a client that has closed its side. It may wait for the answer, or be gone, which shows only
 * by the second of two writes: its machine refuses the first. An answer without a body has no second,
 * and counts as cut off.
 */
async function endInTwo(
  response: ServerResponse,
  body: Uint8Array,
  half: number,
  finish: () => void,
): Promise<void> {
  response.write(body.subarray(0, half));
  await sleep(REFUSAL_MS);
  response.write(body.subarray(half), (error) => {
    if (!error) finish();
  });
  response.end();
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
