import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '../answer.ts';
import type { Clock } from '../clock.ts';
import { headersOf } from './write-answer.ts';

/** A whole request, as HTTP brought it. */
export interface AttendedRequest {
  readonly method: string;
  /** Path and query as they were sent; each byte is one character. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
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

/** An answer, and how it goes out. */
export interface Direction extends AttendedAnswer {
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
  response.once('finish', () => {
    finishedMs = clock.now();
  });
  response.once('close', () => {
    const { status, headers, body } = direction;
    attendant.ended({
      request,
      answer: { status, headers, body },
      finishedMs: direction.cut ? null : finishedMs,
    });
  });
  if (response.destroyed) return;
  response.writeHead(direction.status, {
    ...direction.headers,
    'Content-Length': Buffer.byteLength(direction.body),
    ...(attendance.closes && { Connection: 'close' }),
  });
  if (!direction.cut) {
    response.end(direction.body);
    return;
  }
  const half = direction.body.slice(0, Math.ceil(direction.body.length / 2));
  response.write(half, () => response.socket?.destroy());
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
