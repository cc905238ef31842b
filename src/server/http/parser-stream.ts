import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

interface Written {
  readonly chunk: Uint8Array | string;
  readonly encoding: BufferEncoding;
}

/**
 * Stands in for a socket towards `node:http`, which keeps every connection that it is given. It gets
 * those requests of the connection that are fed to it; their answers go to the socket. In between,
 * while {@link isAtRest}, the reader of the socket may answer requests itself.
 */
export class ParserStream extends Duplex {
  readonly #socket: Socket;
  /** The last request that the parser found, and whether its answer is with the socket. */
  #request: IncomingMessage | null = null;
  #isAnswered = false;
  /** The last request that the parser read to its end. */
  #complete: IncomingMessage | null = null;
  /** True if the last piece ended a request. */
  #isBetweenRequests = false;
  #isFull = false;

  /** @param parse gives this stream to the HTTP parser */
  constructor(socket: Socket, parse: (stream: ParserStream) => void) {
    super({ decodeStrings: false });
    this.#socket = socket;
    parse(this);
    // After the listener of the parser, which has read the piece then.
    this.on('data', () => {
      const complete = this.#request?.complete === true ? this.#request : this.#complete;
      this.#isBetweenRequests = complete !== this.#complete;
      this.#complete = complete;
    });
  }

  /** True if the parser holds no byte of a next request, and every answer is with the socket. */
  get isAtRest(): boolean {
    const hasReadAll = this.#isBetweenRequests && this.readableLength === 0;
    return hasReadAll && this.#isAnswered && this.writable;
  }

  /**
   * Feeds bytes to the parser. The last one comes separately: a request that is complete with it, and
   * was not before, ends there. So no framing is read in two places, which could differ.
   *
   * @returns false if the socket should be paused; the stream resumes it
   */
  feed(bytes: Buffer): boolean {
    if (bytes.length > 1) this.push(bytes.subarray(0, -1));
    this.#isFull = !this.push(bytes.subarray(-1));
    return !this.#isFull;
  }

  /** Notes a request that the parser found. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    this.#isAnswered = false;
    response.once('close', () => {
      if (this.#request === request) this.#isAnswered = true;
    });
  }

  /** Closes the connection once everything is written, like the method of a socket. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#socket.resume();
  }

  override _write(chunk: Uint8Array | string, encoding: BufferEncoding, done: () => void): void {
    this._writev([{ chunk, encoding }], done);
  }

  override _writev(all: readonly Written[], done: () => void): void {
    const socket = this.#socket;
    let wantsMore = true;
    socket.cork();
    for (const { chunk, encoding } of all) wantsMore = socket.write(chunk, encoding);
    socket.uncork();
    if (wantsMore) done();
    else socket.once('drain', done);
  }

  override _final(done: () => void): void {
    this.#socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroySoon();
    done(error);
  }
}
