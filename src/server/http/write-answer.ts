import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer } from '../answer.ts';

/** Limits for reading the rest of a body that was refused because of its length. */
const DISCARD_MS = 1_000;
const DISCARD_BYTES = 4 * 1024 * 1024;

/** Writes an answer and ends it. */
export function writeAnswer(response: ServerResponse, answer: Answer, closes: boolean): void {
  response.writeHead(answer.status, headersOf(answer, closes));
  response.end(answer.body);
}

/**
 * Writes an answer while the client still sends. The connection is closed only after the body, or the
 * limits above: a reset could make the client lose the answer.
 */
export function writeAnswerThenDiscard(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): void {
  response.writeHead(answer.status, headersOf(answer, true));
  response.write(answer.body);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, DISCARD_MS);
  let byteCount = 0;
  request.on('data', (chunk: Buffer) => {
    byteCount += chunk.length;
    if (byteCount > DISCARD_BYTES) end();
  });
  request.once('end', end);
  request.once('close', end);
  request.on('error', () => {});
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
