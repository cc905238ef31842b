import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { decodeBody } from './decode-body.ts';
import type { TlsTexts } from './target.ts';

/** Bytes of an answer's body that are read for judging; what lies beyond is not waited for. */
const BODY_CAP_BYTES = 1024 * 1024;

/** One request as it goes out; `body` in pieces waits for its gate before the last one. */
export interface WireRequest {
  readonly method: string;
  /** Absolute URL, its query already encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The last byte of the body is held back until this resolves, so that requests land together. */
  readonly gate?: Promise<void> | undefined;
  /** A connection of its own, so that no closing one is reused; else kept alive. */
  readonly ownConnection?: boolean | undefined;
}

/** What came back, decoded; `truncated` where the body is longer than the cap. */
export interface WireResponse {
  readonly status: number;
  /** Names in lower case; several of one name joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bodyBytes: number;
  readonly truncated: boolean;
}

/** Codes of what breaks on the way; `CONNECT` ones mean that the target was never reached. */
export type TransportErrorCode =
  | 'CONNECT_REFUSED'
  | 'CONNECT_NAME_UNKNOWN'
  | 'CONNECT_TLS'
  | 'CONNECT_TIMEOUT'
  | 'CONNECT_FAILED'
  | 'TIMEOUT'
  | 'CONNECTION_BROKEN'
  | 'HTTP_MALFORMED'
  | 'BODY_UNDECODABLE'
  | 'TIMEOUT_MID_ANSWER'
  | 'TARGET_GIVEN_UP'
  | 'ANSWER_LOST'
  | 'INTERRUPTED';

/** The request got no whole answer. */
export interface TransportFailure {
  readonly code: TransportErrorCode;
  readonly message: string;
}

/** Either of both is null. */
export type WireOutcome =
  | { readonly response: WireResponse; readonly error: null }
  | { readonly response: null; readonly error: TransportFailure };

/** Sends one request; never throws for what the target does. */
export type Send = (request: WireRequest) => Promise<WireOutcome>;

/** How requests go out. */
export interface TransportOptions {
  /** For a whole exchange, connection and body included, in milliseconds. */
  readonly timeoutMs: number;
  readonly tls?: TlsTexts | undefined;
  /** When it aborts, what is under way gets {@link GRACE_MS} more. */
  readonly signal?: AbortSignal | undefined;
}

/** Whoever interrupts a run should not lose an answer that is nearly there, nor wait for one that hangs. */
const GRACE_MS = 1_000;

/** Connections to one target. */
export interface Transport {
  readonly send: Send;
  close(): Promise<void>;
}

/** Opens a transport by undici: no redirects followed, one deadline a request, bodies bounded. */
export function openTransport(options: TransportOptions): Transport {
  const common = {
    // Each exchange has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.timeoutMs, ...options.tls },
  };
  const kept = new Agent({ ...common, connections: 64, pipelining: 1 });
  const own = new Agent({ ...common, pipelining: 0 });
  const send: Send = async (request) => {
    const first = await exchange(request.ownConnection ? own : kept, request, options);
    // A kept connection may be closed by the target at the very moment of its reuse: a GET may go
    // again, on a new one.
    const mayGoAgain =
      first.error?.code === 'CONNECTION_BROKEN' &&
      request.method === 'GET' &&
      !request.ownConnection;
    return mayGoAgain ? exchange(own, request, options) : first;
  };
  const close = async (): Promise<void> => {
    await Promise.all([kept.destroy(), own.destroy()]);
  };
  return { send, close };
}

async function exchange(
  agent: Dispatcher,
  request: WireRequest,
  { timeoutMs, signal }: TransportOptions,
): Promise<WireOutcome> {
  const deadline = new AbortController();
  const timer = abortAfter(timeoutMs, deadline);
  let grace: NodeJS.Timeout | undefined;
  const hurry = (): void => {
    grace = abortAfter(GRACE_MS, deadline);
  };
  if (signal?.aborted) hurry();
  else signal?.addEventListener('abort', hurry, { once: true });
  let answered = false;
  try {
    const url = new URL(request.url);
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: headersOf(request),
      body: bodyOf(request),
      signal: deadline.signal,
    });
    answered = true;
    const { bytes, truncated } = await readBounded(answer.body);
    const headers = plainHeaders(answer.headers);
    const decoded = decodeBody(bytes, truncated, headers['content-encoding'], BODY_CAP_BYTES);
    if ('error' in decoded) return failure('BODY_UNDECODABLE', decoded.error);
    return { response: { status: answer.statusCode, headers, ...decoded }, error: null };
  } catch (error) {
    if (deadline.signal.aborted && signal?.aborted) {
      return failure('INTERRUPTED', 'the run was interrupted before the answer was there');
    }
    if (deadline.signal.aborted) {
      return answered
        ? failure('TIMEOUT_MID_ANSWER', `the answer was not whole within ${timeoutMs} ms`)
        : failure('TIMEOUT', `the target did not send an answer within ${timeoutMs} ms`);
    }
    return { response: null, error: explain(error) };
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal?.removeEventListener('abort', hurry);
  }
}

/** Aborts a turn later: an answer that came while this process stood still is read first. */
function abortAfter(afterMs: number, deadline: AbortController): NodeJS.Timeout {
  return setTimeout(() => setImmediate(() => deadline.abort()), afterMs);
}

function headersOf(request: WireRequest): Record<string, string> {
  if (!request.gate || request.body === null) return { ...request.headers };
  return { ...request.headers, 'content-length': String(Buffer.byteLength(request.body)) };
}

function bodyOf({ body, gate }: WireRequest): string | Readable | null {
  return gate && body !== null ? Readable.from(gated(body, gate)) : body;
}

async function* gated(body: string, gate: Promise<void>): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body, 'utf8');
  yield bytes.subarray(0, -1);
  await gate;
  yield bytes.subarray(-1);
}

async function readBounded(
  body: Dispatcher.ResponseData['body'],
): Promise<{ bytes: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the stream and its connection with it.
    if (size > BODY_CAP_BYTES) break;
  }
  const truncated = size > BODY_CAP_BYTES;
  return { bytes: Buffer.concat(chunks).subarray(0, BODY_CAP_BYTES), truncated };
}

function plainHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined)
      plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}

function failure(code: TransportErrorCode, message: string): WireOutcome {
  return { response: null, error: { code, message } };
}

const CODES: Readonly<Record<string, TransportErrorCode>> = {
  ECONNREFUSED: 'CONNECT_REFUSED',
  ENOTFOUND: 'CONNECT_NAME_UNKNOWN',
  EAI_AGAIN: 'CONNECT_NAME_UNKNOWN',
  UND_ERR_CONNECT_TIMEOUT: 'CONNECT_TIMEOUT',
  EHOSTUNREACH: 'CONNECT_FAILED',
  ENETUNREACH: 'CONNECT_FAILED',
  EADDRNOTAVAIL: 'CONNECT_FAILED',
  UND_ERR_HEADERS_TIMEOUT: 'TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'TIMEOUT_MID_ANSWER',
  UND_ERR_SOCKET: 'CONNECTION_BROKEN',
  ECONNRESET: 'CONNECTION_BROKEN',
  EPIPE: 'CONNECTION_BROKEN',
  UND_ERR_HEADERS_OVERFLOW: 'HTTP_MALFORMED',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'HTTP_MALFORMED',
};

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|INVALID_CA)/;

function explain(error: unknown): TransportFailure {
  const message = error instanceof Error ? error.message : String(error);
  for (const code of codesOf(error)) {
    const known = CODES[code];
    if (known) return { code: known, message: message || code };
    if (TLS_CODE.test(code)) return { code: 'CONNECT_TLS', message: `${message} (${code})` };
    if (code.startsWith('HPE_')) return { code: 'HTTP_MALFORMED', message };
  }
  const isUnparsed = error instanceof Error && error.name === 'HTTPParserError';
  return { code: isUnparsed ? 'HTTP_MALFORMED' : 'CONNECTION_BROKEN', message };
}

/** An attempt on several addresses fails with several errors; the first code is the nearest. */
function codesOf(error: unknown): string[] {
  if (error === null || typeof error !== 'object') return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  const own = typeof code === 'string' ? [code] : [];
  const inner = Array.isArray(errors) ? errors.flatMap(codesOf) : [];
  return [...own, ...inner, ...codesOf(cause)];
}
