import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigurationError } from '../../interface/index.ts';
import type { Answer } from '../answer.ts';
import type { Clock } from '../clock.ts';
import { type Attendant, attend, attendedRequest } from '../intercept/interceptor.ts';
import type { ErrorWriter } from '../refusal.ts';
import { BODY_LIMIT_BYTES, readBody } from './body.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { OpenSockets } from './open-sockets.ts';
import { writeAnswer, writeAnswerThenDiscard } from './write-answer.ts';

const HEAD_LIMIT_BYTES = 16 * 1024;
/** How often slow senders are looked for: their timeouts are no more exact than this. */
const CHECKING_INTERVAL_MS = 500;

/** A request whose head and body are whole. */
export interface HttpRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** What stands after the `?`, as it was sent. */
  readonly rawQuery: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  /** Where the server listens. */
  readonly baseUrl: string;
}

/** Says what a request is answered with. */
export type Handler = (request: HttpRequest) => Answer | Promise<Answer>;

/** One line of the access log; neither queries nor credentials are in it. */
export interface AccessLogEntry {
  /** ISO 8601, by the server's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly remoteAddress: string;
}

/** Certificate and private key, in PEM. */
export interface TlsOptions {
  readonly cert: string;
  readonly key: string;
}

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  /** From the first byte of a head to its last. */
  readonly headMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly idleMs: number;
}

/** The timeouts that slow senders get by default. */
export const DEFAULT_TIMEOUTS: Timeouts = { headMs: 10_000, requestMs: 15_000, idleMs: 60_000 };

/** What a front is made of. */
export interface FrontOptions {
  readonly handler: Handler;
  readonly errors: ErrorWriter;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly tls?: TlsOptions | undefined;
  readonly accessLog?: ((entry: AccessLogEntry) => void) | undefined;
  /** Sees every exchange, and may direct the answers. */
  readonly attendant?: Attendant | undefined;
  /** Sees a connection's bytes before the HTTP parser does, to which `deliver` gives the connection. */
  readonly intercept?: ((deliver: (socket: Socket) => void) => Interceptor) | undefined;
}

/** Takes connections ahead of the HTTP parser. */
export interface Interceptor {
  take(socket: Socket): void;
  close(): void;
}

const NO_BODY = new Uint8Array(0);

interface ClientError extends NodeJS.ErrnoException {
  /** What could not be read as a request. */
  readonly rawPacket?: Uint8Array;
}

/** An HTTP listener that hands whole requests to a handler, and lives through whatever is sent. */
export class HttpFront {
  readonly #options: FrontOptions;
  readonly #server: Server;
  readonly #sockets = new OpenSockets();
  readonly #interceptor: Interceptor | null;
  #baseUrl = '';

  constructor(options: FrontOptions) {
    this.#options = options;
    this.#server = createListener(options);
    this.#server.maxHeadersCount = 0;
    this.#server.on('request', (request, response) => this.#receive(request, response));
    this.#server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      if (!isTooLarge(request)) response.writeContinue();
      this.#receive(request, response);
    });
    this.#server.on('connect', (_request: IncomingMessage, socket: Socket) => {
      const error = { code: 'METHOD_NOT_SERVED' };
      this.#sockets.afterAnswers(socket, () => answerBrokenRequest(socket, options.errors, error));
    });
    this.#server.on('clientError', (error: ClientError, socket: Socket) => {
      if (error.rawPacket) options.attendant?.broken?.(error.rawPacket, options.clock.now());
      this.#sockets.afterAnswers(socket, () => answerBrokenRequest(socket, options.errors, error));
    });
    const isTls = options.tls !== undefined;
    const connected = isTls ? 'secureConnection' : 'connection';
    this.#interceptor = this.#intercept(connected);
    this.#server.prependListener(connected, (socket: Socket) => this.#sockets.add(socket));
    if (isTls) this.#server.on('connection', (socket: Socket) => this.#sockets.addCarrier(socket));
  }

  /** `http(s)://host:port`; empty until it listens. */
  get baseUrl(): string {
    return this.#baseUrl;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** @throws ConfigurationError `PORT_IN_USE`, `PORT_NOT_PERMITTED` or `HOST_NOT_AVAILABLE` */
  async listen(port: number, host: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) =>
        reject(listenError(error, host, port)),
      );
      this.#server.listen({ port, host, backlog: 1024 }, resolve);
    });
    this.#server.removeAllListeners('error');
    const scheme = this.#options.tls === undefined ? 'http' : 'https';
    this.#baseUrl = `${scheme}://${addressOf(host)}:${this.port}`;
  }

  /** Stops listening, lets requests in flight end, and cuts off what is left after the grace. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#interceptor?.close();
    this.#sockets.drain();
    const cutOff = setTimeout(() => this.#sockets.destroyAll(), graceMs);
    await closed;
    clearTimeout(cutOff);
  }

  /** Puts the interceptor, if there is one, where the HTTP parser took connections. */
  #intercept(connected: 'connection' | 'secureConnection'): Interceptor | null {
    const [parser] = this.#server.listeners(connected);
    if (this.#options.intercept === undefined || parser === undefined) return null;
    const interceptor = this.#options.intercept((socket) => void parser.call(this.#server, socket));
    this.#server.removeAllListeners(connected);
    this.#server.on(connected, (socket: Socket) => interceptor.take(socket));
    return interceptor;
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const receivedMs = this.#options.attendant === undefined ? 0 : this.#options.clock.now();
    this.#sockets.begin(request.socket, response);
    this.#log(request, response);
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      this.#writeError(response, 400, 'request-malformed', 'There is no Host header.');
    } else if (isTooLarge(request)) {
      this.#refuseBody(request, response);
    } else if (hasBody(request)) {
      readBody(request, {
        whole: (body) => this.#answer(request, response, body, receivedMs),
        tooLarge: () => this.#refuseBody(request, response),
      });
    } else this.#answer(request, response, NO_BODY, receivedMs);
  }

  #answer(
    message: IncomingMessage,
    response: ServerResponse,
    body: Uint8Array,
    receivedMs: number,
  ): void {
    const { attendant, clock, handler } = this.#options;
    if (attendant !== undefined) {
      const request = attendedRequest(message, body, receivedMs);
      const serve = (): Answer | Promise<Answer> => handler(this.#requestOf(message, body));
      const closes = this.#sockets.isDraining;
      attend({ attendant, request, response, clock, closes, serve }).catch(() =>
        this.#answerBroken(response),
      );
      return;
    }
    const write = (answer: Answer): void => writeAnswer(response, answer, this.#sockets.isDraining);
    try {
      const answer = handler(this.#requestOf(message, body));
      if (answer instanceof Promise) answer.then(write, () => this.#answerBroken(response));
      else write(answer);
    } catch {
      this.#answerBroken(response);
    }
  }

  #requestOf(message: IncomingMessage, body: Uint8Array): HttpRequest {
    const target = originForm(message.url ?? '');
    const queryAt = target.indexOf('?');
    return {
      method: message.method ?? '',
      path: queryAt < 0 ? target : target.slice(0, queryAt),
      rawQuery: queryAt < 0 ? '' : target.slice(queryAt + 1),
      authorization: message.headers.authorization,
      contentType: message.headers['content-type'],
      body,
      baseUrl: this.#baseUrl,
    };
  }

  /** Only a defect of this server leads here; it says so without a word about its inside. */
  #answerBroken(response: ServerResponse): void {
    this.#writeError(response, 500, 'internal', 'The server has a defect; please report it.');
  }

  #writeError(response: ServerResponse, status: number, code: string, message: string): void {
    const answer = this.#options.errors.answer(status, { code, message });
    writeAnswer(response, answer, true);
  }

  #refuseBody(request: IncomingMessage, response: ServerResponse): void {
    const message = `The body is larger than ${BODY_LIMIT_BYTES} bytes.`;
    const answer = this.#options.errors.answer(413, { code: 'body-too-large', message });
    writeAnswerThenDiscard(request, response, answer);
  }

  #log(request: IncomingMessage, response: ServerResponse): void {
    const { accessLog, clock } = this.#options;
    if (accessLog === undefined) return;
    const startMs = clock.now();
    response.once('close', () => {
      accessLog({
        at: new Date(startMs).toISOString(),
        method: request.method ?? '',
        path: originForm(request.url ?? '').replace(/\?.*$/s, ''),
        status: response.statusCode,
        durationMs: clock.now() - startMs,
        remoteAddress: request.socket.remoteAddress ?? '',
      });
    });
  }
}

function createListener({ tls, timeouts }: FrontOptions): Server {
  const options: ServerOptions = {
    maxHeaderSize: HEAD_LIMIT_BYTES,
    headersTimeout: timeouts.headMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    connectionsCheckingInterval: CHECKING_INTERVAL_MS,
    // Two Authorization headers become one that no shape fits, instead of one that is ignored.
    joinDuplicateHeaders: true,
    requireHostHeader: false,
    noDelay: true,
  };
  const server =
    tls === undefined ? createServer(options) : createTls({ ...options, ...tls }, timeouts.headMs);
  // A client that reads nothing is idle too.
  server.timeout = timeouts.idleMs;
  return server;
}

function createTls(options: ServerOptions & TlsOptions, handshakeTimeout: number): Server {
  try {
    return createTlsServer({ ...options, handshakeTimeout });
  } catch (error) {
    throw new ConfigurationError(
      'TLS_INVALID',
      `The certificate and its key cannot be used (${(error as Error).message}); give both in PEM.`,
      { cause: error },
    );
  }
}

/** `GET http://host/path` means `/path`. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const absolute = /^https?:\/\/[^/?#]*/i.exec(target);
  if (absolute === null) return target;
  const rest = target.slice(absolute[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function isTooLarge({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > BODY_LIMIT_BYTES;
}

/** Where a client of this machine reaches a host that is listened on. */
function addressOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const at = `${host}:${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigurationError(
        'PORT_IN_USE',
        `Port ${port} of ${host} is in use; choose another one, or 0 for any that is free.`,
        { cause: error },
      );
    case 'EACCES':
      return new ConfigurationError(
        'PORT_NOT_PERMITTED',
        `Listening on ${at} is not permitted; choose a port above 1023.`,
        { cause: error },
      );
    default:
      return new ConfigurationError(
        'HOST_NOT_AVAILABLE',
        `Cannot listen on ${at} (${error.code ?? error.message}); choose an address of this machine.`,
        { cause: error },
      );
  }
}
