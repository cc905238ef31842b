import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { AcceptBatching } from '../http/accept-batching.ts';
import type { ParserStream } from '../http/parser-stream.ts';
import { bypassReadQueue, restoreReadQueue } from '../http/shared-read-buffer.ts';
import { FastConnection, type FastPath } from './fast-path.ts';
import { TurnAnswers } from './turn-answers.ts';

const SWEEPS_PER_TIMEOUT = 4;

/** Options of {@link FastConnections}. */
export interface FastConnectionsOptions {
  readonly path: FastPath;
  /** Has the HTTP parser wait for requests of a connection, which are fed to the stream. */
  readonly parse: (socket: Socket) => ParserStream;
  /**
   * Time limit for the first head of a connection. The HTTP parser waits for the requests of a silent
   * connection within a quarter of it, and applies its own time limits.
   */
  readonly headMs: number;
  /** Time limit for silence between two requests of a connection. */
  readonly idleMs: number;
  /** Lets sockets read into shared memory. */
  readonly sharedReadBuffer: boolean;
}

/** State of a connection for the sweeper. */
interface Watched {
  /** Sweeps since its last byte. */
  sweeps: number;
  /** Has the HTTP parser wait for its first request; null once there is one. */
  parse: (() => void) | null;
}

/** Connections that the fast path reads. A request that it does not answer goes to the HTTP parser. */
export class FastConnections {
  readonly #options: FastConnectionsOptions;
  readonly #watched = new Map<Socket, Watched>();
  readonly #batching = new AcceptBatching();
  readonly #answers = new TurnAnswers(pause);
  readonly #sweeper: NodeJS.Timeout;
  readonly #idleSweeps: number;

  constructor(options: FastConnectionsOptions) {
    const { headMs, idleMs } = options;
    const sweepMs = Math.min(headMs, idleMs) / SWEEPS_PER_TIMEOUT;
    this.#options = options;
    this.#idleSweeps = idleMs / sweepMs;
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs);
    this.#sweeper.unref();
  }

  /** Takes a new connection. */
  take(socket: Socket): void {
    const { path, sharedReadBuffer } = this.#options;
    const connection = new FastConnection();
    let stream: ParserStream | null = null;
    const parse = (): ParserStream => {
      watched.parse = null;
      stream ??= this.#options.parse(socket);
      return stream;
    };
    const watched: Watched = { sweeps: 0, parse };
    let isEnded = false;
    const read = (chunk: Buffer): void => {
      if (isEnded) return;
      watched.sweeps = 0;
      watched.parse = null;
      let consumed = 0;
      if (stream === null || stream.isAtRest) {
        const answers = path.answer(connection, chunk);
        if (answers !== null) this.#answers.add(socket, answers);
        consumed = path.consumed;
      }
      if (consumed === chunk.length) {
        isEnded = connection.tail?.closes === true;
        if (isEnded) end();
        return;
      }
      // The parser's answers come after those of the requests before.
      this.#answers.flush();
      // A copy, since the next read overwrites the chunk.
      if (!parse().feed(Buffer.from(chunk.subarray(consumed)))) pause(socket);
    };
    const resume = (): void => void socket.resume();
    const end = (): void => {
      this.#answers.flush();
      if (stream === null) socket.destroySoon();
      else stream.push(null);
    };
    const close = (): void => {
      this.#watched.delete(socket);
      stream?.destroy();
    };
    this.#watched.set(socket, watched);
    socket.on('end', end).on('drain', resume).on('error', ignore).on('close', close);
    const start = (): void => {
      if (socket.destroyed) return;
      bypassReadQueue(socket, read, sharedReadBuffer);
      socket.on('data', read).resume();
    };
    // One connection's first request would wait for the handshakes of all others.
    if (socket instanceof TLSSocket) start();
    else this.#batching.add(start);
  }

  /** Stops the checks for idle connections, and writes the answers that wait. */
  close(): void {
    this.#answers.flush();
    clearInterval(this.#sweeper);
  }

  #sweep(): void {
    for (const [socket, watched] of this.#watched) {
      watched.sweeps++;
      if (watched.parse !== null) watched.parse();
      else if (watched.sweeps > this.#idleSweeps) socket.destroy();
    }
  }
}

/** Stops reading from a socket until it is resumed. */
function pause(socket: Socket): void {
  restoreReadQueue(socket);
  socket.pause();
}

/** An error closes the connection; nothing is left to answer. */
function ignore(): void {}
