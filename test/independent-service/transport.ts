import { type ServerOptions, type ServerResponse, STATUS_CODES } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Chance } from './chance.ts';

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
  /** Time before the first answer of all, and before the first on each connection; ms. */
  readonly firstDelayMs?: number | undefined;
  readonly connectionDelayMs?: number | undefined;
  /** Time between the head of an answer and its body, ms. */
  readonly bodyDelayMs?: number | undefined;
  /** True for bodies whose end is that of the connection, in HTTP/1.1. */
  readonly endsByClosing?: boolean | undefined;
  /** Text after the status. */
  readonly reason?: string | undefined;
  /** True for answers in HTTP/1.0. */
  readonly isHttp10?: boolean | undefined;
  readonly gzips?: boolean | undefined;
  /** Content encoding besides gzip. */
  readonly encodes?: 'br' | 'deflate' | undefined;
  /** True to compress only for clients that accept gzip. */
  readonly gzipsOnAsking?: boolean | undefined;
  /** True for chunks that end with a trailer field. */
  readonly trailers?: boolean | undefined;
  /** Header Date, or what takes its place; by default the time of the service. */
  readonly date?: 'none' | 'a day old' | ((nowMs: number) => string | string[]) | undefined;
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
  readonly sleep: Sleep;
}

/** Lets ms pass. */
type Sleep = (ms: number) => Promise<void>;

/** Keeps connections open for long: none is closed just as it is reused, however slow the machine is. */
export function serverOptions({ idleMs = 600_000 }: Partial<Transport>): ServerOptions {
  return { keepAlive: true, keepAliveTimeout: idleMs };
}

/** Connections that were answered on, and whether any answer was. */
const answered = new WeakSet<object>();

/** Waits as the style does before each answer. */
export async function delay(
  style: Transport,
  service: { readonly chance: Chance; readonly sleep: Sleep },
  connection: object,
): Promise<void> {
  const { delayMs = 0, jitterMs = 0, firstDelayMs = 0, connectionDelayMs = 0 } = style;
  const first = (what: object, ms: number): number => (answered.has(what) ? 0 : ms);
  const forMs =
    delayMs +
    service.chance.draw() * jitterMs +
    first(service, firstDelayMs) +
    first(connection, connectionDelayMs);
  answered.add(service);
  answered.add(connection);
  if (forMs > 0) await service.sleep(forMs);
}

const DAY_MS = 86_400_000;

/** Body as it is sent, and its content encoding. */
function encoded(
  { req }: ServerResponse,
  { gzips, encodes, gzipsOnAsking }: Transport,
  body: Buffer,
): { readonly bytes: Buffer; readonly encoding: string | null } {
  const isAsked = /\bgzip\b/.test(req.headers['accept-encoding'] ?? '');
  if (gzips || (gzipsOnAsking && isAsked)) return { bytes: gzipSync(body), encoding: 'gzip' };
  if (encodes === 'br') return { bytes: brotliCompressSync(body), encoding: encodes };
  if (encodes === 'deflate') return { bytes: deflateSync(body), encoding: encodes };
  return { bytes: body, encoding: null };
}

function dateOf(date: Transport['date'], nowMs: number): string | string[] | null {
  if (date === 'none') return null;
  if (typeof date === 'function') return date(nowMs);
  return new Date(nowMs - (date === 'a day old' ? DAY_MS : 0)).toUTCString();
}

/** Writes an answer as the style does. */
export async function writeAnswer(
  response: ServerResponse,
  style: Transport,
  answer: WrittenAnswer,
): Promise<void> {
  const isEmpty = answer.status === 204 || answer.status === 304;
  const plain = { bytes: Buffer.alloc(0), encoding: null };
  const { bytes: body, encoding } = isEmpty ? plain : encoded(response, style, answer.body);
  const isChunked = (style.chunked || style.trailers) && !isEmpty;
  const name = (text: string): string => (style.upperCaseHeaders ? text.toUpperCase() : text);
  const headers: Record<string, string | readonly string[]> = { ...style.headers };
  const date = dateOf(style.date, answer.nowMs);
  if (date !== null) headers['date'] = date;
  for (const [field, text] of Object.entries(answer.headers)) headers[name(field)] = text;
  if (encoding !== null) headers['content-encoding'] = encoding;
  if (style.closes) headers[name('connection')] = 'close';
  if (style.trailers) headers['trailer'] = 'x-digest';
  if (style.isHttp10 || style.endsByClosing) {
    const version = style.isHttp10 ? '1.0' : '1.1';
    writeRaw(response, version, answer.status, headers, body);
    return;
  }
  if (!isChunked) headers[name('content-length')] = String(body.length);
  if (style.continuesUnasked) response.writeContinue();
  if (style.hints) response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
  response.sendDate = false;
  const written = headers as Record<string, string | string[]>;
  if (style.reason === undefined) response.writeHead(answer.status, written);
  else response.writeHead(answer.status, style.reason, written);
  if (style.closesSilently) response.once('finish', () => response.socket?.end());
  if (style.bodyDelayMs) {
    response.flushHeaders();
    await answer.sleep(style.bodyDelayMs);
  }
  if (isChunked) response.write(body.subarray(0, 7));
  if (style.trailers) response.addTrailers({ 'x-digest': 'none' });
  response.end(isChunked ? body.subarray(7) : body);
}

/** Answers that node:http does not write. The end of the connection is that of the body. */
function writeRaw(
  { socket }: ServerResponse,
  version: string,
  status: number,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body: Buffer,
): void {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  const head = [`HTTP/${version} ${status} ${STATUS_CODES[status] ?? 'Odd'}`, ...lines, '', ''];
  socket?.end(Buffer.concat([Buffer.from(head.join('\r\n')), body]));
}
