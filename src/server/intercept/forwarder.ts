import { Agent, type RequestOptions, request as sendPlain } from 'node:http';
import { request as sendSecure, Agent as TlsAgent } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';
import {
  type AskedAddress,
  explainFailure,
  remedyOfFailure,
} from '../../interface/connection-failure.ts';
import { METHOD_OF_ENDPOINT } from '../service/service.ts';
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
/**
 * Headers that are not forwarded: host is the target's, the length is recomputed, and `expect` was answered. By
 * the others, some targets take another path or method than those of the request.
 */
const NOT_FORWARDED =
  /^(host|content-length|expect|x-original-ur[il]|x-rewrite-url|x-http-method|x-(http-)?method-override)$/;

const PLAIN_TEXT = { 'Content-Type': 'text/plain; charset=utf-8' };

const NOT_FORWARDABLE: OutgoingAnswer = {
  status: 400,
  headers: PLAIN_TEXT,
  body: `Not forwarded: only ${[...METHOD_OF_ENDPOINT].map(([path, method]) => `${method} ${path}`).join(' and ')} are.`,
};

const GIVEN_UP: OutgoingAnswer = {
  status: 502,
  headers: PLAIN_TEXT,
  body: 'Not forwarded: the proxy has ended.',
};

/**
 * Decides on a request that can be forwarded: `forward` sends it and returns the target's answer; without it nothing
 * is sent.
 */
export type ForwardGuard = (
  request: InterceptedRequest,
  forward: () => Promise<OutgoingAnswer>,
) => Promise<OutgoingAnswer>;

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
 * and end-to-end headers stay as they are, in both directions. It uses `node:http`, which skips interim
 * responses: a target may send them unasked (RFC 9110, 15.2).
 */
export class Forwarder implements Interceptor {
  readonly #send: typeof sendPlain;
  readonly #agent: Agent;
  readonly #address: URL;
  readonly #asked: AskedAddress;
  readonly #prefix: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #observer: Interceptor;
  readonly #guard: ForwardGuard;
  readonly #timeoutMs: number;
  readonly #unanswered = new Set<InterceptedRequest>();

  constructor(
    { baseUrl, headers = {}, ca, cert, key, timeoutMs = TIMEOUT_MS }: ForwardTarget,
    observer: Interceptor,
    guard: ForwardGuard,
  ) {
    this.#address = new URL(baseUrl);
    this.#asked = { baseUrl, hasCertificate: cert !== undefined };
    const isSecure = this.#address.protocol === 'https:';
    // A connection for each request: a target may close a kept one just as it is used again.
    this.#agent = isSecure ? new TlsAgent({ ca, cert, key }) : new Agent();
    this.#send = isSecure ? sendSecure : sendPlain;
    this.#prefix = this.#address.pathname.replace(/\/+$/, '');
    this.#headers = headers;
    this.#observer = observer;
    this.#guard = guard;
    this.#timeoutMs = timeoutMs;
  }

  onConnect(connection: object): void {
    this.#observer.onConnect?.(connection);
  }

  /**
   * The target's answer; a 502 where it gives none, and a 400 for what is not of the interface: nothing else
   * may get the headers of the profile. The observer only sees the request.
   */
  async respond(request: InterceptedRequest): Promise<OutgoingAnswer> {
    this.#unanswered.add(request);
    void this.#observer.respond?.(request);
    const [path = ''] = request.target.split('?', 1);
    if (METHOD_OF_ENDPOINT.get(path) !== request.method) return NOT_FORWARDABLE;
    return this.#guard(request, () => this.#forward(request));
  }

  async #forward(request: InterceptedRequest): Promise<OutgoingAnswer> {
    // Its guard may have waited beyond the end.
    if (!this.#unanswered.has(request)) return GIVEN_UP;
    try {
      const { method, body } = request;
      const { host } = this.#address;
      const headers = forwardedHeaders(request.rawHeaders, this.#headers);
      const length =
        body.length > 0 || method === 'POST' ? ['Content-Length', `${body.length}`] : [];
      const options = {
        ...urlToHttpOptions(this.#address),
        agent: this.#agent,
        path: this.#prefix + request.target,
        method,
        headers: ['Host', host, ...headers, ...length],
      };
      const answer = await dispatch(this.#send, options, body, this.#timeoutMs);
      return await toOutgoing(answer);
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? 'no response';
      return {
        status: 502,
        headers: PLAIN_TEXT,
        body: `The target gave no complete response: ${why}. ${remedyOfFailure(explainFailure(error), this.#asked)}`,
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
  close(): void {
    this.#agent.destroy();
  }
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

/** Sends and receives without conversion: each byte of a header is one character. */
function dispatch(
  send: typeof sendPlain,
  options: RequestOptions,
  body: Uint8Array,
  timeoutMs: number,
): Promise<TargetAnswer> {
  return new Promise((resolve, reject) => {
    const request = send(options);
    // Covers the whole exchange: a target can send interim responses on and on.
    const timer = setTimeout(() => {
      request.destroy(new LateError(`no complete response within ${timeoutMs} ms`));
    }, timeoutMs);
    request.once('error', reject);
    request.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the connection was closed without a complete response'));
    });
    request.once('response', (response) => {
      const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = response;
      const chunks: Buffer[] = [];
      let byteCount = 0;
      response.on('data', (chunk: Buffer) => {
        byteCount += chunk.length;
        if (byteCount <= BODY_LIMIT_BYTES) chunks.push(chunk);
        else request.destroy(new Error('the response is too large'));
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status, statusText, fields: fieldsOf(rawHeaders), body: Buffer.concat(chunks) }),
      );
    });
    request.end(body.length > 0 ? body : undefined);
  });
}

async function toOutgoing({
  status,
  statusText,
  fields,
  body,
}: TargetAnswer): Promise<OutgoingAnswer> {
  // The length of a body that is not sent is stated by the target only.
  const returned = endToEnd(fields).filter(
    ([name]) => status === 304 || name.toLowerCase() !== 'content-length',
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
