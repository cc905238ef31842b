import type { Socket } from 'node:net';
import { AcceptBatching } from '../http/accept-batching.ts';
import { bypassReadQueue, restoreReadQueue } from '../http/shared-read-buffer.ts';
import { FastConnection, type FastPath } from './fast-path.ts';

const SWEEPS_PER_TIMEOUT = 4;

/** Options of {@link FastConnections}. */
export interface FastConnectionsOptions {
  readonly path: FastPath;
  /** Gives a connection to the HTTP parser. */
  readonly handOver: (socket: Socket) => void;
  /**
   * Time limit for the first head of a connection. A silent connection goes to the HTTP parser within
   * a quarter of it, which then applies its own time limits.
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
  /** Gives it to the HTTP parser; null once it has sent a request. */
  handOver: (() => void) | null;
}

/** Connections that the fast path reads, each until the first request that it does not answer. */
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
    const watched: Watched = { sweeps: 0, handOver: () => handOver(NO_BYTES) };
    const release = (): void => {
      this.#watched.delete(socket);
      restoreReadQueue(socket);
      socket.off('data', read).off('end', end).off('drain', resume);
      socket.off('error', ignore).off('close', release);
    };
    const handOver = (rest: Buffer): void => {
      release();
      socket.pause();
      // A copy, since the next read overwrites the chunk.
      if (rest.length > 0) socket.unshift(Buffer.from(rest));
      this.#options.handOver(socket);
      socket.resume();
    };
    const read = (chunk: Buffer): void => {
      watched.sweeps = 0;
      watched.handOver = null;
      const answers = path.answer(connection, chunk);
      const wantsMore = answers === null || socket.write(answers);
      if (socket.writableLength > 0) path.giveUpBuffer();
      if (path.consumed < chunk.length) handOver(chunk.subarray(path.consumed));
      else if (!wantsMore) {
        restoreReadQueue(socket);
        socket.pause();
      }
    };
    const resume = (): void => void socket.resume();
    const end = (): void => void socket.end();
    this.#watched.set(socket, watched);
    socket.on('end', end).on('drain', resume).on('error', ignore).on('close', release);
    this.#batching.add(() => {
      if (this.#watched.get(socket) !== watched || socket.destroyed) return;
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
      if (watched.handOver !== null) watched.handOver();
      else if (watched.sweeps > this.#idleSweeps) socket.destroy();
    }
  }
}

const NO_BYTES = Buffer.alloc(0);

/** An error closes the connection; nothing is left to answer. */
function ignore(): void {}
