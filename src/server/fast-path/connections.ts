import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { AcceptBatching } from '../http/accept-batching.ts';
import type { ParserStream } from '../http/parser-stream.ts';
import { bypassReadQueue, restoreReadQueue } from '../http/shared-read-buffer.ts';
import { FastConnection, type FastPath } from './fast-path.ts';

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
    // Once TLS begins to write an answer, it has encrypted it, and needs its buffer no more.
    const encrypts = socket instanceof TLSSocket;
    let stream: ParserStream | null = null;
    const parse = (): ParserStream => {
      watched.parse = null;
      stream ??= this.#options.parse(socket);
      return stream;
    };
    const watched: Watched = { sweeps: 0, parse };
    const read = (chunk: Buffer): void => {
      watched.sweeps = 0;
      watched.parse = null;
      let wantsMore = true;
      let consumed = 0;
      if (stream === null || stream.isAtRest) {
        const answers = path.answer(connection, chunk);
        wantsMore = answers === null || socket.write(answers);
        if (socket.writableLength > (encrypts ? (answers?.length ?? 0) : 0)) path.giveUpBuffer();
        consumed = path.consumed;
      }
      if (consumed < chunk.length) {
        // A copy, since the next read overwrites the chunk.
        wantsMore = parse().feed(Buffer.from(chunk.subarray(consumed))) && wantsMore;
      }
      if (wantsMore) return;
      restoreReadQueue(socket);
      socket.pause();
    };
    const resume = (): void => void socket.resume();
    const end = (): void => {
      if (stream === null) socket.end();
      else stream.push(null);
    };
    const close = (): void => {
      this.#watched.delete(socket);
      stream?.destroy();
    };
    this.#watched.set(socket, watched);
    socket.on('end', end).on('drain', resume).on('error', ignore).on('close', close);
    this.#batching.add(() => {
      if (socket.destroyed) return;
      bypassReadQueue(socket, read, sharedReadBuffer);
      socket.on('data', read);
    });
  }

  /** Stops the checks for idle connections. */
  close(): void {
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

/** An error closes the connection; nothing is left to answer. */
function ignore(): void {}
