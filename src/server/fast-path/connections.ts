import type { Socket } from 'node:net';
import { Arrivals } from '../http/accept-batching.ts';
import { queueChunks, unqueueChunks } from '../http/shared-read-buffer.ts';
import { FastConnection, type FastPath } from './fast-path.ts';

const SWEEPS_PER_TIMEOUT = 4;

/** What the sweeper knows of a connection. */
interface Watched {
  /** Sweeps since its last byte. */
  sweeps: number;
  /** Gives it to the HTTP parser; null once it has sent a request. */
  deliver: (() => void) | null;
}

/** Connections whose bytes the fast path reads, until the first that it does not answer. */
export class FastConnections {
  readonly #path: FastPath;
  readonly #deliver: (socket: Socket) => void;
  readonly #watched = new Map<Socket, Watched>();
  readonly #arrivals = new Arrivals();
  readonly #sweeper: NodeJS.Timeout;
  readonly #idleSweeps: number;

  /**
   * @param deliver gives a connection to the HTTP parser
   * @param headMs how long a new connection has for its first head; soon after it is opened, a silent
   * one goes to the HTTP parser, whose patience counts
   * @param idleMs how long a connection may be silent between two requests
   */
  constructor(
    path: FastPath,
    deliver: (socket: Socket) => void,
    { headMs, idleMs }: { readonly headMs: number; readonly idleMs: number },
  ) {
    const sweepMs = Math.min(headMs, idleMs) / SWEEPS_PER_TIMEOUT;
    this.#path = path;
    this.#deliver = deliver;
    this.#idleSweeps = idleMs / sweepMs;
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs);
    this.#sweeper.unref();
  }

  /** Takes a new connection. */
  take(socket: Socket): void {
    const known = new FastConnection();
    const watched: Watched = { sweeps: 0, deliver: () => handOver(NO_BYTES) };
    const release = (): void => {
      this.#watched.delete(socket);
      queueChunks(socket);
      socket.off('data', read).off('end', end).off('drain', resume);
      socket.off('error', ignore).off('close', release);
    };
    const handOver = (rest: Buffer): void => {
      release();
      socket.pause();
      // A copy: the chunk is written over by the next.
      if (rest.length > 0) socket.unshift(Buffer.from(rest));
      this.#deliver(socket);
      socket.resume();
    };
    const read = (chunk: Buffer): void => {
      watched.sweeps = 0;
      watched.deliver = null;
      const answers = this.#path.answer(known, chunk);
      const wantsMore = answers === null || socket.write(answers);
      if (socket.writableLength > 0) this.#path.keep();
      if (this.#path.done < chunk.length) handOver(chunk.subarray(this.#path.done));
      else if (!wantsMore) {
        queueChunks(socket);
        socket.pause();
      }
    };
    const resume = (): void => void socket.resume();
    const end = (): void => void socket.end();
    this.#watched.set(socket, watched);
    socket.on('end', end).on('drain', resume).on('error', ignore).on('close', release);
    this.#arrivals.add(() => {
      if (this.#watched.get(socket) !== watched || socket.destroyed) return;
      unqueueChunks(socket, read);
      socket.on('data', read);
    });
  }

  /** Ends the looking after idle connections. */
  close(): void {
    clearInterval(this.#sweeper);
  }

  #sweep(): void {
    for (const [socket, watched] of this.#watched) {
      watched.sweeps++;
      if (watched.deliver !== null) watched.deliver();
      else if (watched.sweeps > this.#idleSweeps) socket.destroy();
    }
  }
}

const NO_BYTES = Buffer.alloc(0);

/** What breaks a connection closes it; there is nobody to tell. */
function ignore(): void {}
