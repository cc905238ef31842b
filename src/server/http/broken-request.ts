import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorWriter } from '../refusal.ts';

/** Time for which bytes are still read after the answer: a reset could make the client lose it. */
const DISCARD_MS = 500;

interface Malformation {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const MALFORMED: Malformation = {
  status: 400,
  code: 'request-malformed',
  message: 'This is not a well-formed HTTP/1.1 request.',
};

const MALFORMATIONS: ReadonlyMap<string, Malformation> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    { status: 431, code: 'head-too-large', message: 'The head is larger than 16 KiB.' },
  ],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    { status: 413, code: 'body-too-large', message: 'The chunk extensions are too large.' },
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    { status: 408, code: 'request-timeout', message: 'The request did not end in time.' },
  ],
  [
    'METHOD_NOT_SERVED',
    { status: 405, code: 'method-not-allowed', message: 'This method is served on no path.' },
  ],
]);

const GONE = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);
const answered = new WeakSet<Socket>();

/** Answers bytes that are not an HTTP request on their socket, and closes it. */
export function answerBrokenRequest(
  socket: Socket,
  errors: ErrorWriter,
  { code }: { readonly code?: string | undefined },
): void {
  if (answered.has(socket)) return;
  answered.add(socket);
  if (!socket.writable || GONE.has(code ?? '')) {
    socket.destroy();
    return;
  }
  const { status, ...error } = MALFORMATIONS.get(code ?? '') ?? MALFORMED;
  const { body, contentType } = errors.answer(status, error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...(contentType === null ? [] : [`Content-Type: ${contentType}`]),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), DISCARD_MS);
  socket.on('data', () => {});
  socket.on('error', () => socket.destroy());
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
}
