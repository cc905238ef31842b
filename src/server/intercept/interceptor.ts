import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '../answer.ts';
import type { Clock } from '../clock.ts';
import { headersOf } from '../http/write-answer.ts';

/** A whole request, as HTTP brought it. */
export interface AttendedRequest {
  readonly method: string;
  /** Path and query as they were sent; each byte is one character. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values in turn, as they were sent; each byte is one character. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  /** When its head was whole, by the server's clock, in milliseconds since the epoch. */
  readonly receivedMs: number;
}

/** What a request is answered with. */
export interface AttendedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer byte for byte. */
export interface RawAnswer {
  readonly statusText: string;
  /** Names and values in turn, without what belongs to one connection; each byte is one character. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** An answer, and how it goes out. */
export interface Direction extends AttendedAnswer {
  /** Goes out in place of `headers` and `body`, which then tell only what it says. */
  readonly raw?: RawAnswer | undefined;
  /** Milliseconds before its first byte. */
  readonly delayMs?: number | undefined;
  /** Half of the body goes out, then the connection ends. */
  readonly cut?: boolean | undefined;
}

/** A request, what went out in return, and when the last byte of it did; null where it was cut. */
export interface AttendedExchange {
  readonly request: AttendedRequest;
  readonly answer: AttendedAnswer;
  readonly finishedMs: number | null;
}

/**
 * Stands beside a server, sees every exchange, and may direct the answers. It must not throw; an
 * answer that it fails to give is a 500.
 */
export interface Attendant {
  /** An answer in place of the service's, which then never learns of the request. */
  instead?(request: AttendedRequest): Direction | null | Promise<Direction | null>;
  /** What becomes of the service's answer; the service has committed to it by then. */
  direct?(request: AttendedRequest, answer: AttendedAnswer): Direction | Promise<Direction>;
  /** Told once an answer is out, or its connection has ended. */
  ended(exchange: AttendedExchange): void;
  /** Told of bytes that are no HTTP request. */
  broken?(bytes: Uint8Array, receivedMs: number): void;
}

/** What an attended request goes through. */
export interface Attendance {
  readonly attendant: Attendant;
  readonly request: AttendedRequest;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** Whether the connection closes after the answer. */
  readonly closes: boolean;
  readonly serve: () => Answer | Promise<Answer>;
}

/** The request as an attendant sees it. */
export function attendedRequest(
  message: IncomingMessage,
  body: Uint8Array,
  receivedMs: number,
): AttendedRequest {
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
    receivedMs,
  };
}

/** Answers a request as its attendant directs, and tells it how that ended. */
export async function attend(attendance: Attendance): Promise<void> {
  const { attendant, request, response, clock } = attendance;
  const direction = await directionOf(attendance);
  if (direction.delayMs) await new Promise((later) => setTimeout(later, direction.delayMs));
  let finishedMs: number | null = null;
  const tell = (): void => {
    const { status, headers, body } = direction;
    attendant.ended({
      request,
      answer: { status, headers, body },
      finishedMs: direction.cut ? null : finishedMs,
    });
  };
  // Whoever asked may have gone while the answer was made.
  if (response.closed) return tell();
  response.once('finish', () => {
    finishedMs = clock.now();
  });
  response.once('close', tell);
  if (response.destroyed) return;
  const body = direction.raw?.body ?? Buffer.from(direction.body);
  writeHead(attendance, direction, body.length);
  if (!direction.cut) {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.socket?.destroy());
}

function writeHead(
  { response, request, closes }: Attendance,
  { status, headers, raw }: Direction,
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

async function directionOf({ attendant, request, closes, serve }: Attendance): Promise<Direction> {
  const instead = await attendant.instead?.(request);
  if (instead) return instead;
  const answer = await serve();
  const { status, body } = answer;
  const headers = Object.fromEntries(
    Object.entries(headersOf(answer, closes)).map(([name, value]) => [name, String(value)]),
  );
  const attended: AttendedAnswer = { status, headers, body };
  return (await attendant.direct?.(request, attended)) ?? attended;
}
