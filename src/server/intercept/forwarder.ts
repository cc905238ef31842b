import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';
import type {
  InterceptedExchange,
  InterceptedRequest,
  Interceptor,
  OutgoingAnswer,
} from './interceptor.ts';

/** Time limit of a whole exchange with the target, connection and body included. */
const TIMEOUT_MS = 30_000;
const BODY_LIMIT_BYTES = 1024 * 1024;
/** Hop-by-hop headers (RFC 9110, 7.6.1); a header `Connection` may name more of them. */
const HOP_BY_HOP = /^(connection|keep-alive|transfer-encoding|upgrade|te|trailer|proxy-.*)$/;
/** Headers that are not forwarded: host is the target's, the length is recomputed, and `expect` was answered. */
const NOT_FORWARDED = /^(host|content-length|expect)$/;

/** Address of a target and the means to reach it. */
export interface ForwardTarget {
  readonly baseUrl: string;
  /** Set on every request, in place of the client's headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Certificates in PEM: the authority to trust, and the client's own with its key. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Time limit of a whole exchange, in milliseconds; default 30,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Answers every request by forwarding it to a target, and reports each exchange to an observer: bytes
 * and end-to-end headers stay as they are, in both directions.
 */
export class Forwarder implements Interceptor {
  readonly #agent: Agent;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #observer: Interceptor;
  readonly #timeoutMs: number;
  readonly #unanswered = new Set<InterceptedRequest>();

  /** @param agent sends the requests, and belongs to this forwarder from now on */
  constructor(
    { baseUrl, headers = {}, timeoutMs = TIMEOUT_MS }: ForwardTarget,
    observer: Interceptor,
    agent: Agent,
  ) {
    const { origin, pathname } = new URL(baseUrl);
    this.#origin = origin;
    this.#prefix = pathname.replace(/\/+$/, '');
    this.#headers = headers;
    this.#observer = observer;
    this.#agent = agent;
    this.#timeoutMs = timeoutMs;
  }

  onConnect(connection: object): void {
    this.#observer.onConnect?.(connection);
  }

  /** The target's answer; a 502 where it gives none. The observer only sees the request. */
  async respond(request: InterceptedRequest): Promise<OutgoingAnswer> {
    this.#unanswered.add(request);
    void this.#observer.respond?.(request);
    try {
      const forwarded = {
        origin: this.#origin,
        path: this.#prefix + request.target,
        method: request.method,
        headers: forwardedHeaders(request.rawHeaders, this.#headers),
        body: request.body.length === 0 ? null : request.body,
      };
      const answer = await dispatch(this.#agent, forwarded, this.#timeoutMs);
      return await toOutgoing(answer, request.method);
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? 'no answer';
      return {
        status: 502,
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
        body: `The target gave no whole answer: ${why}.`,
      };
    }
  }

  onExchange(exchange: InterceptedExchange): void {
    if (this.#unanswered.delete(exchange.request)) this.#observer.onExchange(exchange);
  }

  onAborted(request: InterceptedRequest): void {
    this.#observer.onAborted?.(request);
  }

  onMalformed(bytes: Uint8Array, receivedMs: number): void {
    this.#observer.onMalformed?.(bytes, receivedMs);
  }

  /** Gives up the requests that the target has not answered; they are not reported later. */
  takeUnanswered(): readonly InterceptedRequest[] {
    const requests = [...this.#unanswered];
    this.#unanswered.clear();
    return requests;
  }

  /** Closes every connection at once; a request that waits for its answer gets 502. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Opens a forwarder. undici is loaded only here: a server that forwards nothing starts without it. */
export async function openForwarder(
  target: ForwardTarget,
  observer: Interceptor,
): Promise<Forwarder> {
  const { Agent: UndiciAgent } = await import('undici');
  const { ca, cert, key } = target;
  const agent = new UndiciAgent({
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connect: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
  });
  return new Forwarder(target, observer, agent);
}

type Field = readonly [name: string, value: string];

function forwardedHeaders(
  rawHeaders: readonly string[],
  own: Readonly<Record<string, string>>,
): string[] {
  const replaced = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const passed = endToEnd(fieldsOf(rawHeaders)).filter(([name]) => {
    const lower = name.toLowerCase();
    return !NOT_FORWARDED.test(lower) && !replaced.has(lower);
  });
  return [...passed, ...Object.entries(own)].flat();
}

function fieldsOf(rawHeaders: readonly string[]): Field[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, at) => [
    rawHeaders[2 * at] ?? '',
    rawHeaders[2 * at + 1] ?? '',
  ]);
}

function endToEnd(fields: readonly Field[]): Field[] {
  const named = fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()));
  return fields.filter(([name]) => {
    const lower = name.toLowerCase();
    return !HOP_BY_HOP.test(lower) && !named.includes(lower);
  });
}

/** A target's answer, byte for byte. */
interface TargetAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly fields: readonly Field[];
  readonly body: Buffer;
}

/** The target's answer was not whole in time. */
class LateError extends Error {
  readonly code = 'TIMEOUT';
}

/**
 * Sends and receives without conversion: each byte of a header is one character. The time limit covers
 * everything: those of undici start anew with each interim response.
 */
function dispatch(
  agent: Agent,
  options: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<TargetAnswer> {
  return new Promise((resolveAnswer, rejectAnswer) => {
    let head: Omit<TargetAnswer, 'body'> | null = null;
    const chunks: Buffer[] = [];
    let byteCount = 0;
    let late: LateError | null = null;
    let request: Dispatcher.DispatchController | null = null;
    const timer = setTimeout(() => {
      late = new LateError(`no whole answer within ${timeoutMs} ms`);
      request?.abort(late);
      reject(late);
    }, timeoutMs);
    const resolve = (answer: TargetAnswer): void => {
      clearTimeout(timer);
      resolveAnswer(answer);
    };
    const reject = (error: Error): void => {
      clearTimeout(timer);
      rejectAnswer(error);
    };
    agent.dispatch(options, {
      onRequestStart(controller) {
        request = controller;
        if (late !== null) controller.abort(late);
      },
      onResponseStart({ rawHeaders }, status, _headers, statusText = '') {
        if (status < 200) return;
        const texts = ((rawHeaders ?? []) as Buffer[]).map((bytes) => bytes.toString('latin1'));
        head = { status, statusText, fields: fieldsOf(texts) };
      },
      onResponseData(controller, chunk) {
        byteCount += chunk.length;
        if (byteCount <= BODY_LIMIT_BYTES) chunks.push(chunk);
        else controller.abort(new Error('the answer is too large'));
      },
      onResponseEnd() {
        if (head === null) reject(new Error('the answer has no head'));
        else resolve({ ...head, body: Buffer.concat(chunks) });
      },
      onResponseError: (_controller, error) => reject(error),
    });
  });
}

async function toOutgoing(
  { status, statusText, fields, body }: TargetAnswer,
  method: string,
): Promise<OutgoingAnswer> {
  // The length of a body that is not sent is stated by the target only.
  const isWithoutBody = method === 'HEAD' || status === 304;
  const returned = endToEnd(fields).filter(
    ([name]) => isWithoutBody || name.toLowerCase() !== 'content-length',
  );
  const headers: Record<string, string> = {};
  for (const [name, value] of returned) {
    const lower = name.toLowerCase();
    headers[lower] = headers[lower] === undefined ? value : `${headers[lower]}, ${value}`;
  }
  return {
    status,
    headers,
    body: (await decode(body, headers['content-encoding'] ?? '')).toString('utf8'),
    raw: { statusText, headers: returned.flat(), body },
  };
}

/** The content of a compressed body, for observers; the client gets the body as it came. */
async function decode(body: Buffer, encoding: string): Promise<Buffer> {
  const options = { maxOutputLength: BODY_LIMIT_BYTES };
  try {
    if (/^(gzip|x-gzip|deflate)$/i.test(encoding)) return await promisify(unzip)(body, options);
    if (/^br$/i.test(encoding)) return await promisify(brotliDecompress)(body, options);
    return body;
  } catch {
    // Not of the encoding that its header names, or too large.
    return body;
  }
}
