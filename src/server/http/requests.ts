import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../service/clock.ts';
import type { ServiceRequest } from '../service/messages.ts';

/** Turns a message of `node:http` and its body into a request of the service. */
export function toServiceRequest(
  message: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: Uint8Array,
  baseUrl: string,
): ServiceRequest {
  const target = originForm(message);
  const queryAt = target.indexOf('?');
  return {
    method: message.method ?? '',
    path: queryAt < 0 ? target : target.slice(0, queryAt),
    rawQuery: queryAt < 0 ? '' : target.slice(queryAt + 1),
    authorization: message.headers.authorization,
    contentType: message.headers['content-type'],
    body,
    baseUrl,
  };
}

/** The target of a request in origin form: `GET http://host/path` means `/path` (RFC 9112, 3.2.2). */
function originForm({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  if (url.startsWith('/')) return url;
  const absolute = /^https?:\/\/[^/?#]*/i.exec(url);
  if (absolute === null) return url;
  const rest = url.slice(absolute[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Checks whether a body follows the head. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/** Checks whether the head announces a body beyond the limit. */
export function isTooLarge({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > BODY_LIMIT_BYTES;
}

/** Size limit of a body, in bytes: 64 KiB. */
export const BODY_LIMIT_BYTES = 65_536;

/** Reads the body of a request, up to the limit; `cutShort` gets what came before the connection ended. */
export function readBody(
  request: IncomingMessage,
  whole: (body: Uint8Array) => void,
  tooLarge: () => void,
  cutShort?: (body: Uint8Array) => void,
): void {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  const take = (chunk: Buffer): void => {
    byteCount += chunk.length;
    chunks.push(chunk);
    if (byteCount <= BODY_LIMIT_BYTES) return;
    request.off('data', take).off('end', end);
    tooLarge();
  };
  const end = (): void =>
    whole(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  request.on('data', take);
  request.once('end', end);
  request.on('error', () => {});
  if (cutShort === undefined) return;
  request.once('close', () => {
    if (!request.complete) cutShort(Buffer.concat(chunks));
  });
}

/** One line of the access log; it holds neither queries nor credentials. */
export interface AccessLogEntry {
  /** ISO 8601, by the server's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly remoteAddress: string;
  /** Rule by which it was refused; undefined for other answers. */
  readonly rule?: string | undefined;
}

/** Status in the log of a request whose client left before it was answered; as that of nginx. */
export const UNANSWERED_STATUS = 499;

/** Writes an entry once the connection is done with the answer. */
export function logAccess(
  request: IncomingMessage,
  response: ServerResponse,
  write: (entry: AccessLogEntry) => void,
  clock: Clock,
  ruleOf: () => string | undefined,
): void {
  const startMs = clock.now();
  response.once('close', () => {
    const rule = ruleOf();
    write({
      at: new Date(startMs).toISOString(),
      method: request.method ?? '',
      path: originForm(request).replace(/\?.*$/s, ''),
      status: response.headersSent ? response.statusCode : UNANSWERED_STATUS,
      durationMs: clock.now() - startMs,
      remoteAddress: request.socket.remoteAddress ?? '',
      ...(rule !== undefined && { rule }),
    });
  });
}
