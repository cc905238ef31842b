import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Answer, ErrorWriter } from '../service/messages.ts';

/** Limits for reading on after an answer: a reset could make the client lose it. */
const DISCARD_BODY_MS = 1_000;
const DISCARD_BROKEN_MS = 500;
const DISCARD_BYTES = 4 * 1024 * 1024;

/** Writes an answer and ends it. */
export function writeAnswer(
  response: ServerResponse,
  answer: Answer,
  closes: boolean,
  nowMs: number,
): void {
  response.writeHead(answer.status, datedHeadersOf(answer, closes, nowMs));
  response.end(answer.body);
}

/** Writes an answer while the client still sends, and closes only after the body, or the limits above. */
export function writeAnswerThenDiscard(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  nowMs: number,
): void {
  response.writeHead(answer.status, datedHeadersOf(answer, true, nowMs));
  response.write(answer.body);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, DISCARD_BODY_MS);
  let byteCount = 0;
  request.on('data', (chunk: Buffer) => {
    byteCount += chunk.length;
    if (byteCount > DISCARD_BYTES) end();
  });
  request.once('end', end);
  request.once('close', end);
  request.on('error', () => {});
}

/** The headers of an answer, with a Date by the server's clock: that of the machine is another where time is moved. */
export function datedHeadersOf(
  answer: Answer,
  closes: boolean,
  nowMs: number,
): OutgoingHttpHeaders {
  return { ...headersOf(answer, closes), Date: new Date(nowMs).toUTCString() };
}

/** The headers of an answer. */
export function headersOf(answer: Answer, closes: boolean): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'Content-Length': Buffer.byteLength(answer.body) };
  if (answer.contentType !== null) headers['Content-Type'] = answer.contentType;
  if (answer.allow !== undefined) headers['Allow'] = answer.allow;
  if (answer.status === 401) headers['WWW-Authenticate'] = 'Bearer';
  if (closes) headers['Connection'] = 'close';
  return headers;
}

/** The refusal of a request that is not well-formed. */
export type Malformation = readonly [status: number, code: string, message: string];

const MALFORMED: Malformation = [
  400,
  'request-malformed',
  'This is not a well-formed HTTP/1.1 request.',
];

const VERSION_NOT_SERVED: Malformation = [
  505,
  'version-not-supported',
  'This version of HTTP is not served; use HTTP/1.1.',
];

/** By the code of the error that the parser gives, or the defect that it leaves to the listener. */
const MALFORMATIONS: Readonly<Partial<Record<string, Malformation>>> = {
  HPE_HEADER_OVERFLOW: [431, 'head-too-large', 'The head is larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'body-too-large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request-timeout', 'The request did not end in time.'],
  METHOD_NOT_SERVED: [405, 'method-not-allowed', 'This method is served on no path.'],
  HOST_MISSING: [400, 'request-malformed', 'There is no Host header.'],
  HOST_INVALID: [400, 'request-malformed', 'Host is not one host with or without a port.'],
  TARGET_INVALID: [400, 'request-malformed', 'The target does not name one host.'],
  HPE_PAUSED_H2_UPGRADE: VERSION_NOT_SERVED,
  VERSION_NOT_SERVED,
};

/** The refusal for an error of the parser, or for a defect. */
export function malformationOf(cause: string): Malformation {
  return MALFORMATIONS[cause] ?? MALFORMED;
}

const GONE = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);
const answered = new WeakSet<Socket>();

/**
 * Answers bytes that are not an HTTP request on their socket, and closes it.
 *
 * @param cause see {@link malformationOf}
 * @returns the status; null if nobody is there for an answer
 */
export function answerBrokenRequest(
  socket: Socket,
  errors: ErrorWriter,
  cause: string,
): number | null {
  if (answered.has(socket)) return null;
  answered.add(socket);
  if (!socket.writable || GONE.has(cause)) {
    socket.destroy();
    return null;
  }
  const [status, code, message] = malformationOf(cause);
  const { body, contentType } = errors.answer(status, { code, message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...(contentType === null ? [] : [`Content-Type: ${contentType}`]),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), DISCARD_BROKEN_MS);
  socket.on('data', () => {}).resume();
  socket.on('error', () => socket.destroy());
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
  return status;
}
