import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Interceptor } from '../intercept/interceptor.ts';
import type { Clock } from '../service/clock.ts';
import type { Answer, ErrorWriter, ServiceRequest } from '../service/messages.ts';
import { interceptedRequest, runExchange } from './intercepted-exchange.ts';
import {
  bind,
  createNodeServer,
  reachableHost,
  type Timeouts,
  type TlsOptions,
} from './node-server.ts';
import { OpenSockets } from './open-sockets.ts';
import { OwnAddress } from './own-address.ts';
import { ParserStream } from './parser-stream.ts';
import { defectOf, type HeadDefect, isUnknownVersion } from './request-head.ts';
import {
  type AccessLogEntry,
  BODY_LIMIT_BYTES,
  hasBody,
  isTooLarge,
  logAccess,
  readBody,
  toServiceRequest,
} from './requests.ts';
import {
  answerBrokenRequest,
  malformationOf,
  writeAnswer,
  writeAnswerThenDiscard,
} from './write-answer.ts';

/** Reads connections ahead of the HTTP parser. */
export interface ConnectionReader {
  take(socket: Socket): void;
  close(): void;
}

/** Options of a listener. */
export interface ListenerOptions {
  /** Gives the answer to a request. */
  readonly handler: (request: ServiceRequest) => Answer | Promise<Answer>;
  readonly errors: ErrorWriter;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly tls?: TlsOptions | undefined;
  readonly accessLog?: ((entry: AccessLogEntry) => void) | undefined;
  /** Called after bytes that are not an HTTP request were answered with this status. */
  readonly onBroken?: ((status: number) => void) | undefined;
  readonly interceptor?: Interceptor | undefined;
  /** Refuses requests that name another host, and those of web pages (see {@link OwnAddress}). */
  readonly refusesForeign?: boolean | undefined;
  /** Makes the reader of new connections; `parse` makes the stream for requests left to the parser. */
  readonly readAhead?: ((parse: (socket: Socket) => ParserStream) => ConnectionReader) | undefined;
}

const NO_BODY = new Uint8Array(0);

interface ClientError extends NodeJS.ErrnoException {
  /** Bytes that are not an HTTP request. */
  readonly rawPacket?: Uint8Array;
}

/** An HTTP listener that passes whole requests to a handler and survives any bytes sent to it. */
export class HttpListener {
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #sockets = new OpenSockets();
  /** Rules by which requests were refused, for the access log. */
  readonly #rules = new WeakMap<ServerResponse, string>();
  readonly #reader: ConnectionReader | null;
  readonly #watchedForCut = new WeakSet<Socket>();
  /** `http(s)://host:port`; empty until it listens. */
  baseUrl = '';
  #own: OwnAddress | null = null;

  /** @throws ConfigurationError `TLS_INVALID` */
  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#server = createNodeServer(options.timeouts, options.tls);
    this.#server.on('request', (request, response) => this.#receive(request, response));
    this.#server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      if (!isTooLarge(request)) response.writeContinue();
      this.#receive(request, response);
    });
    // As node:http answers it by itself, but known to be in flight: bytes behind it are not answered
    // before it, and not at all if it is the last of its connection.
    this.#server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      if (defectOf(request) !== null) return this.#receive(request, response);
      this.#begin(request, response);
      response.writeHead(417).end();
    });
    this.#server.on('connect', (request: IncomingMessage, socket: Socket) =>
      this.#answerMalformed(socket, defectOf(request) ?? 'METHOD_NOT_SERVED'),
    );
    this.#server.on('clientError', (error: ClientError, socket: Socket) => {
      if (error.rawPacket) options.interceptor?.onMalformed?.(error.rawPacket, options.clock.now());
      this.#answerMalformed(socket, isUnknownVersion(error) ? 'VERSION_NOT_SERVED' : error.code);
    });
    const isTls = options.tls !== undefined;
    const connected = isTls ? 'secureConnection' : 'connection';
    this.#reader = this.#readAhead(connected);
    this.#server.prependListener(connected, (socket: Socket) => {
      this.#sockets.add(socket);
      options.interceptor?.onConnect?.(socket);
    });
    if (isTls) {
      this.#server.on('connection', (socket: Socket) => this.#sockets.addRaw(socket));
    }
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** @throws ConfigurationError `PORT_IN_USE`, `PORT_NOT_PERMITTED` or `HOST_NOT_AVAILABLE` */
  async listen(port: number, host: string): Promise<void> {
    await bind(this.#server, port, host);
    const scheme = this.#options.tls === undefined ? 'http' : 'https';
    this.baseUrl = `${scheme}://${reachableHost(host)}:${this.port}`;
    if (this.#options.refusesForeign) this.#own = new OwnAddress(scheme, host, this.port);
  }

  /** Stops listening, lets requests in flight finish, and cuts off the rest after the grace period. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#reader?.close();
    this.#sockets.drain();
    const cutOff = setTimeout(() => this.#sockets.destroyAll(), graceMs);
    await closed;
    clearTimeout(cutOff);
  }

  /** Puts the reader, if there is one, in the place where the HTTP parser took connections. */
  #readAhead(connected: 'connection' | 'secureConnection'): ConnectionReader | null {
    const [parse] = this.#server.listeners(connected);
    if (this.#options.readAhead === undefined || parse === undefined) return null;
    const reader = this.#options.readAhead(
      (socket) =>
        new ParserStream(socket, (stream) => {
          this.#sockets.addStream(stream, socket);
          parse.call(this.#server, stream);
        }),
    );
    this.#server.removeAllListeners(connected);
    this.#server.on(connected, (socket: Socket) => reader.take(socket));
    return reader;
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const { accessLog, clock } = this.#options;
    this.#sockets.begin(request.socket, response);
    const connection: Duplex = request.socket;
    if (connection instanceof ParserStream) connection.begin(request, response);
    if (accessLog !== undefined)
      logAccess(request, response, accessLog, clock, () => this.#rules.get(response));
    if (request.headers.upgrade !== undefined) this.#watchForCut(request.socket);
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { clock, interceptor } = this.#options;
    const receivedMs = interceptor === undefined ? 0 : clock.now();
    this.#begin(request, response);
    const defect = defectOf(request);
    const refusal = this.#own?.refusalOf(request) ?? null;
    if (defect !== null) {
      this.#refuseHead(request, response, defect, receivedMs);
    } else if (refusal !== null) {
      this.#refuseUnread(request, response, ...refusal);
    } else if (isTooLarge(request)) {
      this.#refuseBody(request, response, receivedMs);
    } else if (hasBody(request)) {
      readBody(
        request,
        (body) => this.#answer(request, response, body, receivedMs),
        () => this.#refuseBody(request, response, receivedMs),
        interceptor?.onAborted &&
          ((body) => interceptor.onAborted?.(interceptedRequest(request, body, receivedMs))),
      );
    } else this.#answer(request, response, NO_BODY, receivedMs);
  }

  #answer(
    message: IncomingMessage,
    response: ServerResponse,
    body: Uint8Array,
    receivedMs: number,
  ): void {
    const { interceptor, clock, handler } = this.#options;
    const noteRule = (answer: Answer): Answer => {
      if (answer.rule !== undefined) this.#rules.set(response, answer.rule);
      return answer;
    };
    const serve = (): Answer | Promise<Answer> => {
      const answer = handler(toServiceRequest(message, body, this.baseUrl));
      return answer instanceof Promise ? answer.then(noteRule) : noteRule(answer);
    };
    if (interceptor !== undefined) {
      const request = interceptedRequest(message, body, receivedMs);
      const closes = this.#sockets.isDraining;
      runExchange({ interceptor, request, response, clock, closes, serve }).catch(() =>
        this.#answerBroken(response),
      );
      return;
    }
    const write = (answer: Answer): void =>
      writeAnswer(response, answer, this.#sockets.isDraining, clock.now());
    try {
      const answer = serve();
      if (answer instanceof Promise) answer.then(write, () => this.#answerBroken(response));
      else write(answer);
    } catch {
      this.#answerBroken(response);
    }
  }

  /** Answers bytes that are not an HTTP request, after the requests before them. */
  #answerMalformed(socket: Socket, code = ''): void {
    const { errors, onBroken } = this.#options;
    this.#sockets.afterAnswers(socket, () => {
      const status = answerBrokenRequest(socket, errors, code);
      if (status !== null) onBroken?.(status);
    });
  }

  /**
   * Answers requests that ask for an upgrade, and whose client closes its side before the end of their
   * body. For any other request the parser gives an error then; for these it does not, and `node:http`
   * waits for the rest of the body up to its time limit.
   */
  #watchForCut(socket: Socket): void {
    if (this.#watchedForCut.has(socket)) return;
    this.#watchedForCut.add(socket);
    socket.once('end', () => {
      if (this.#sockets.isReading(socket)) this.#answerMalformed(socket);
    });
  }

  /** Answers after a defect of this server, without a word about its internals. */
  #answerBroken(response: ServerResponse): void {
    this.#writeError(response, 500, 'internal', 'The server has a defect; please report it.');
  }

  #writeError(response: ServerResponse, status: number, code: string, message: string): void {
    const answer = this.#options.errors.answer(status, { code, message });
    writeAnswer(response, answer, true, this.#options.clock.now());
  }

  /** Only the end of this exchange is intercepted: no answer but this refusal is right. */
  #refuseHead(
    request: IncomingMessage,
    response: ServerResponse,
    defect: HeadDefect,
    receivedMs: number,
  ): void {
    const { interceptor, clock, errors } = this.#options;
    const [status, code, message] = malformationOf(defect);
    if (interceptor === undefined)
      return this.#refuseUnread(request, response, status, code, message);
    const observer: Interceptor = { onExchange: (exchange) => interceptor.onExchange(exchange) };
    const answer = (body: Uint8Array): void => {
      runExchange({
        interceptor: observer,
        request: interceptedRequest(request, body, receivedMs),
        response,
        clock,
        closes: true,
        serve: () => errors.answer(status, { code, message }),
      }).catch(() => this.#answerBroken(response));
    };
    if (hasBody(request))
      readBody(request, answer, () => this.#refuseBody(request, response, receivedMs));
    else answer(NO_BODY);
  }

  #refuseBody(request: IncomingMessage, response: ServerResponse, receivedMs: number): void {
    const message = `The body is larger than ${BODY_LIMIT_BYTES} bytes.`;
    const { interceptor } = this.#options;
    const unread = interceptedRequest(request, NO_BODY, receivedMs);
    interceptor?.onUnread?.(unread, { status: 413, headers: {}, body: message });
    this.#refuseUnread(request, response, 413, 'body-too-large', message);
  }

  /** Refuses a request before its body is read. */
  #refuseUnread(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    code: string,
    message: string,
  ): void {
    const answer = this.#options.errors.answer(status, { code, message });
    writeAnswerThenDiscard(request, response, answer, this.#options.clock.now());
  }
}
