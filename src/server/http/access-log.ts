import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { originForm } from './requests.ts';

/** One line of the access log; it holds neither queries nor credentials. */
export interface AccessLogEntry {
  /** ISO 8601, by the server's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly remoteAddress: string;
}

/** Writes an entry once the connection is done with the answer. */
export function logAccess(
  request: IncomingMessage,
  response: ServerResponse,
  write: (entry: AccessLogEntry) => void,
  clock: Clock,
): void {
  const startMs = clock.now();
  response.once('close', () => {
    write({
      at: new Date(startMs).toISOString(),
      method: request.method ?? '',
      path: originForm(request).replace(/\?.*$/s, ''),
      status: response.statusCode,
      durationMs: clock.now() - startMs,
      remoteAddress: request.socket.remoteAddress ?? '',
    });
  });
}
