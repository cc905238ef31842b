import type { TLSSocket } from 'node:tls';
import { handleOf, isComplete, type WriteRequest } from './socket-handle.ts';
import type { SocketWriter, WriteOutcome } from './socket-writer.ts';
import type { WriteRequests } from './write-requests.ts';

/** An error number; which one does not matter. */
const FAILED = -1;

/** Called by a stream at the end of what it asked a socket for. */
type Done = (error?: Error | null) => void;

/**
 * Writes to a TLS socket. TLS takes one write at a time, and a second one would end the process. So the
 * writes of this writer and those of the stream share a lock: while either writes, the other waits.
 */
export class TlsWriter implements SocketWriter {
  readonly socket: TLSSocket;
  readonly #requests: WriteRequests;
  readonly #onComplete = (status: number): void => this.#complete(status);
  /** The requests of the two last writes. Node needs a request until it has announced the end of its write. */
  #last: WriteRequest | null = null;
  #lastButOne: WriteRequest | null = null;
  /** True while TLS has a write, or the end of the connection, that is not done. */
  #isBusy = false;
  /** Next action of the stream, which has one at a time. */
  #waiting: (() => void) | null = null;

  /** @param requests of all TLS sockets */
  constructor(socket: TLSSocket, requests: WriteRequests) {
    this.socket = socket;
    this.#requests = requests;
    const write = socket._write.bind(socket);
    const writeAll = socket._writev?.bind(socket);
    const finish = socket._final.bind(socket);
    socket._write = (chunk, encoding, done) =>
      this.#lock(done, (unlock) => write(chunk, encoding, unlock));
    if (writeAll) {
      socket._writev = (chunks, done) => this.#lock(done, (unlock) => writeAll(chunks, unlock));
    }
    socket._final = (done) => this.#lock(done, finish);
  }

  write(bytes: Buffer): WriteOutcome {
    const { socket } = this;
    const handle = handleOf(socket);
    const requests = this.#requests;
    const isFree = !this.#isBusy && socket.writableLength === 0;
    if (!handle || !requests.isPossible || !isFree) return this.#writeToStream(bytes);
    if (requests.Request === null) {
      if (isComplete(handle)) requests.learnFrom(handle);
      return this.#writeToStream(bytes);
    }
    const request = this.#lastButOne ?? new requests.Request();
    request.oncomplete = this.#onComplete;
    this.#lastButOne = this.#last;
    this.#last = request;
    this.#isBusy = true;
    if (handle.writeBuffer(request, bytes) !== 0) this.#complete(FAILED);
    // TLS has encrypted the bytes, or copied those that it could not.
    return 'free';
  }

  #writeToStream(bytes: Buffer): WriteOutcome {
    const isLater = this.#isBusy;
    if (!this.socket.write(bytes)) return 'full';
    return isLater || this.socket.writableLength > bytes.length ? 'held' : 'free';
  }

  /** Runs an action of the stream once nothing else is being written; nothing else is until it is done. */
  #lock(done: Done, action: (unlock: Done) => void): void {
    if (this.#isBusy) {
      this.#waiting = () => this.#lock(done, action);
      return;
    }
    this.#isBusy = true;
    action((error) => {
      this.#isBusy = false;
      done(error);
    });
  }

  #complete(status: number): void {
    this.#isBusy = false;
    if (status !== 0) this.socket.destroy();
    const next = this.#waiting;
    this.#waiting = null;
    next?.();
  }
}
