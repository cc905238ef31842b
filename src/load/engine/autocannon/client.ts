import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/** A client of autocannon 9 (its lib/httpClient.js): one connection, one request at a time. */
export interface AutocannonClient extends EventEmitter {
  /** The socket in use; another one after each end of a connection. */
  conn: Socket;
  parser: {
    /** True after bytes that it could not parse; nothing else reports that. */
    hadError: boolean;
    reinitialize(type: 'RESPONSE'): void;
    /** Its handlers by number, such as `kOnMessageComplete` of its class. */
    [handler: number]: (...args: unknown[]) => void;
    constructor: { readonly kOnMessageComplete: number };
  };
  pipelinedRequests: { clear(): void };
}

/** Receives the outcomes of a client's requests; times are of the monotonic clock, nanoseconds. */
export interface ClientOutcomes {
  answered(sentNs: number, doneNs: number, status: number, fault: string | null): void;
  /** @param sentNs null if the connection never opened */
  broke(kind: string, plannedNs: number, sentNs: number | null, doneNs: number): void;
  monotonicNs(): number;
}

const SWITCHING_PROTOCOLS = 101;

interface AnswerHead {
  statusCode: number;
  /** Name, value, name, value … */
  headers: readonly string[];
}

interface Exchange {
  sentNs: number;
  socket: Socket;
  /** Chunks read before it was sent: an answer in the same chunk belongs to another request. */
  chunk: number;
  head: AnswerHead | null;
}

/**
 * Follows one client of autocannon from request to request, and reports the outcome of each.
 *
 * Its `response` and `reqError` events miss answers that last until the connection ends, answers after
 * which it opens a new connection, and requests that are lost with their connection. Its parser and
 * its queue outlive a connection, so that the next answer would be read as the rest of the one that
 * broke; both are reset here with each connection. It takes interim answers for answers; here they are
 * skipped.
 */
export class ClientWatch {
  /** Answers that arrived together with the one before, and so belong to no request. */
  unexpectedBytes = 0;
  readonly #client: AutocannonClient;
  readonly #outcomes: ClientOutcomes;
  #inFlight: Exchange | null = null;
  /** The request whose connection autocannon gave up; the reason follows a moment later, or never. */
  #givenUp: (Exchange & { wasOpen: boolean }) | null = null;
  #socket: Socket | null = null;
  #isOpen = false;
  #chunks = 0;
  #ended = false;
  /** True if the last head that was read is that of an interim answer, such as 100 or 103. */
  #isInterim = false;
  #skipsInterim = false;

  constructor(client: AutocannonClient, outcomes: ClientOutcomes) {
    this.#client = client;
    this.#outcomes = outcomes;
    client.on('request', () => this.#onRequest());
    client.on('headers', (head: AnswerHead) => {
      this.#isInterim = head.statusCode < 200 && head.statusCode !== SWITCHING_PROTOCOLS;
      if (this.#inFlight && !this.#isInterim) this.#inFlight.head = head;
    });
    client.on('response', (status: number) => this.#onResponse(status));
    client.on('connError', (error: NodeJS.ErrnoException) => this.#break(error.code ?? 'ERROR'));
    client.on('timeout', () => this.#onTimeout());
  }

  /** True once every request sent before that time is settled. */
  isSettledUpTo(atNs: number): boolean {
    return (this.#inFlight?.sentNs ?? this.#outcomes.monotonicNs()) >= atNs;
  }

  /** Ends the watch; a request in flight is reported as unanswered. */
  end(): void {
    if (this.#isOpen) this.#break('unanswered');
    this.#ended = true;
  }

  /** Called before the write; if a request is in flight, its connection is gone. */
  #onRequest(): void {
    if (this.#ended) return;
    const { conn } = this.#client;
    if (conn !== this.#socket) this.#takeSocket(conn);
    const sentNs = this.#outcomes.monotonicNs();
    this.#inFlight = { sentNs, socket: conn, chunk: this.#chunks, head: null };
  }

  /** Autocannon would take an interim answer for the answer, and the answer for that to the next request. */
  #skipInterim(): void {
    if (this.#skipsInterim) return;
    this.#skipsInterim = true;
    const { parser } = this.#client;
    const { kOnMessageComplete } = parser.constructor;
    const complete = parser[kOnMessageComplete];
    parser[kOnMessageComplete] = (...args) => {
      if (!this.#isInterim) complete?.(...args);
    };
  }

  #takeSocket(socket: Socket): void {
    this.#skipInterim();
    const lost = this.#inFlight;
    this.#inFlight = null;
    if (lost) this.#lose(lost);
    if (this.#socket) {
      // If it broke later, autocannon would open a second connection for it.
      this.#socket.removeAllListeners('data').removeAllListeners('error');
      this.#socket.on('error', () => undefined).destroy();
      this.#client.pipelinedRequests.clear();
      this.#client.parser.reinitialize('RESPONSE');
    }
    this.#socket = socket;
    this.#isOpen = false;
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      if (socket === this.#socket) this.#isOpen = true;
    });
    socket.prependListener('data', () => {
      this.#chunks++;
    });
    socket.on('data', () => this.#onRead(socket));
  }

  #lose(exchange: Exchange): void {
    const { socket, head } = exchange;
    const nowNs = this.#outcomes.monotonicNs();
    if (!socket.readableEnded) {
      this.#givenUp = { ...exchange, wasOpen: this.#isOpen };
      queueMicrotask(() => this.#settleGivenUp(nowNs));
    } else if (head && lastsUntilClose(head)) {
      this.#outcomes.answered(exchange.sentNs, nowNs, head.statusCode, null);
    } else {
      this.#broke(head ? 'closed-mid-answer' : 'closed-before-answer', exchange, true);
    }
  }

  /** A timeout would have been reported by now: the answer was whole, and the client reconnects. */
  #settleGivenUp(doneNs: number): void {
    const exchange = this.#givenUp;
    this.#givenUp = null;
    if (exchange?.head) {
      this.#outcomes.answered(exchange.sentNs, doneNs, exchange.head.statusCode, null);
    } else if (exchange) this.#broke('closed-before-answer', exchange, true);
  }

  #onTimeout(): void {
    const exchange = this.#givenUp;
    this.#givenUp = null;
    if (exchange === null) return;
    const { wasOpen } = exchange;
    this.#broke(wasOpen ? 'timeout' : 'connect-timeout', exchange, wasOpen);
  }

  #onResponse(status: number): void {
    const exchange = this.#inFlight;
    this.#inFlight = null;
    if (exchange === null || this.#ended) return;
    const isStray = exchange.chunk === this.#chunks;
    if (isStray) this.unexpectedBytes++;
    this.#outcomes.answered(
      exchange.sentNs,
      this.#outcomes.monotonicNs(),
      status,
      isStray ? 'unexpected-bytes' : null,
    );
  }

  /** Called after autocannon has parsed the chunk. */
  #onRead(socket: Socket): void {
    if (!this.#client.parser.hadError || socket !== this.#socket || this.#ended) return;
    socket.destroy(Object.assign(new Error('malformed response'), { code: 'malformed-answer' }));
  }

  #break(kind: string): void {
    const exchange = this.#inFlight;
    this.#inFlight = null;
    if (exchange && !this.#ended) this.#broke(kind, exchange, this.#isOpen);
  }

  #broke(kind: string, { sentNs }: Exchange, wasSent: boolean): void {
    const nowNs = this.#outcomes.monotonicNs();
    this.#outcomes.broke(kind, sentNs, wasSent ? sentNs : null, nowNs);
  }
}

/** RFC 9112, section 6.3. */
function lastsUntilClose({ statusCode, headers }: AnswerHead): boolean {
  const isFramed = headers.some(
    (name, index) => index % 2 === 0 && /^(?:content-length|transfer-encoding)$/i.test(name),
  );
  return !isFramed && statusCode !== 204 && statusCode !== 304;
}
