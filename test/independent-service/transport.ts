import { type ServerOptions, type ServerResponse, STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

/** Way in which a style carries its answers over HTTP. */
export interface Transport {
  readonly chunked: boolean;
  readonly closes: boolean;
  readonly upperCaseHeaders: boolean;
  /** Header fields of each answer. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** True if an unsolicited `100 Continue` is sent before each answer. */
  readonly continuesUnasked?: boolean | undefined;
  /** True if `103 Early Hints` are sent before each answer. */
  readonly hints?: boolean | undefined;
  /** Time before each answer, and the most that is added at random; ms. */
  readonly delayMs?: number | undefined;
  readonly jitterMs?: number | undefined;
  /** True for answers in HTTP/1.0. */
  readonly isHttp10?: boolean | undefined;
  readonly gzips?: boolean | undefined;
  /** True for chunks that end with a trailer field. */
  readonly trailers?: boolean | undefined;
  /** Header Date; by default the time of the service. */
  readonly date?: 'none' | 'a day old' | undefined;
  /** Time after which an idle connection is closed, in ms. */
  readonly idleMs?: number | undefined;
  /** Requests after which a connection is closed, with `Connection: close`. */
  readonly requestsPerConnection?: number | undefined;
  /** True if each connection is closed after its answer, which does not say so. */
  readonly closesSilently?: boolean | undefined;
}

/** An answer of either endpoint. */
export interface WrittenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly nowMs: number;
}

/** Keeps connections open for long: none is closed just as it is reused, however slow the machine is. */
export function serverOptions({ idleMs = 600_000 }: Partial<Transport>): ServerOptions {
  return { keepAlive: true, keepAliveTimeout: idleMs };
}

/** Waits as the style does before each answer. */
export async function delay({ delayMs = 0, jitterMs = 0 }: Transport): Promise<void> {
  const forMs = delayMs + Math.random() * jitterMs;
  if (forMs > 0) await sleep(forMs);
}

const DAY_MS = 86_400_000;

/** Writes an answer as the style does. */
export function writeAnswer(
  response: ServerResponse,
  style: Transport,
  answer: WrittenAnswer,
): void {
  const isEmpty = answer.status === 204 || answer.status === 304;
  const plain = isEmpty ? Buffer.alloc(0) : answer.body;
  const body = style.gzips && !isEmpty ? gzipSync(plain) : plain;
  const isChunked = (style.chunked || style.trailers) && !isEmpty;
  const name = (text: string): string => (style.upperCaseHeaders ? text.toUpperCase() : text);
  const headers: Record<string, string | readonly string[]> = { ...style.headers };
  if (style.date !== 'none') {
    const dateMs = answer.nowMs - (style.date === 'a day old' ? DAY_MS : 0);
    headers['date'] = new Date(dateMs).toUTCString();
  }
  for (const [field, text] of Object.entries(answer.headers)) headers[name(field)] = text;
  if (style.gzips && !isEmpty) headers['content-encoding'] = 'gzip';
  if (style.closes) headers[name('connection')] = 'close';
  if (style.trailers) headers['trailer'] = 'x-digest';
  if (style.isHttp10) {
    writeOld(response, answer.status, headers, body);
    return;
  }
  if (!isChunked) headers[name('content-length')] = String(body.length);
  if (style.continuesUnasked) response.writeContinue();
  if (style.hints) response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
  response.sendDate = false;
  response.writeHead(answer.status, headers as Record<string, string | string[]>);
  if (style.closesSilently) response.once('finish', () => response.socket?.end());
  if (isChunked) response.write(body.subarray(0, 7));
  if (style.trailers) response.addTrailers({ 'x-digest': 'none' });
  response.end(isChunked ? body.subarray(7) : body);
}

/** Node writes HTTP/1.1 only. The end of the connection is that of the body. */
function writeOld(
  { socket }: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body: Buffer,
): void {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  const head = [`HTTP/1.0 ${status} ${STATUS_CODES[status] ?? 'Odd'}`, ...lines, '', ''];
  socket?.end(Buffer.concat([Buffer.from(head.join('\r\n')), body]));
}
