import type { Socket } from 'node:net';
import { ResponseReader } from './response-reader.ts';
import type { SocketOpener } from './socket-opener.ts';

/** Receives the events of a connection, and sends the next request on it or drops it. */
export interface ConnectionOwner {
  /** The connection is open and free for a request. */
  onOpen(connection: Connection, atNs: number): void;
  /** The request in flight is answered; the connection is free, or closed if it cannot be kept. */
  onAnswer(connection: Connection, atNs: number): void;
  /** The connection ended with a request in flight, or before it was open. */
  onBroken(connection: Connection, kind: string, atNs: number): void;
  /**
   * The target closed a kept connection before it answered the request in flight, which is its right (RFC
   * 9112, section 9.3.1): the request is to be sent again on a fresh connection.
   */
  onLost(connection: Connection): void;
  /** The target closed the free connection. */
  onClosedIdle(connection: Connection): void;
  /** The free connection was closed, since it received bytes that belong to no answer. */
  onUnexpectedBytes(connection: Connection): void;
  monotonicNs(): number;
}

const READ_BUFFER_BYTES = 16_384;

/** The answer by which a server may close an idle connection (RFC 9110, section 15.5.9). */
const IDLE_CLOSE = /^HTTP\/1\.[01] 408[ \r]/;

/** One connection of the native engine: at most one request in flight, read into its own buffer. */
export class Connection {
  readonly reader: ResponseReader = new ResponseReader();
  /** Planned time of the request in flight, monotonic clock, nanoseconds. */
  plannedNs = 0;
  /** Index of the request in flight. */
  slot = 0;
  /** Index of the shape of the request in flight. */
  shape = 0;
  /** True if the request in flight was sent before, on a connection that the target closed. */
  isAgain = false;
  /** Send time of the request in flight; 0 before the first. */
  sentNs = 0;
  /** Time at which the connection became free. */
  freeSinceNs = 0;
  busy = false;
  open = false;
  /** True if the last answer was a success; set by the owner. */
  succeeded = false;
  /** True if bytes followed the last answer that do not belong to it. */
  overran = false;
  readonly openedNs: number;
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  #ended = false;
  /** True once it brought an answer. */
  #isKept = false;

  /** @param lost connection whose request it takes over; it is busy from the start, and the owner sends it */
  constructor(opener: SocketOpener, owner: ConnectionOwner, lost?: Connection) {
    this.#owner = owner;
    this.openedNs = owner.monotonicNs();
    if (lost) {
      this.busy = true;
      this.isAgain = true;
      this.plannedNs = lost.plannedNs;
      this.sentNs = this.openedNs;
      this.slot = lost.slot;
      this.shape = lost.shape;
      this.reader.capture = lost.reader.capture;
    }
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BUFFER_BYTES),
      callback: (length: number, buffer: Uint8Array): boolean => {
        this.#read(buffer as Buffer, length);
        return true;
      },
    };
    this.#socket = opener.open(onread);
    this.#socket.once(opener.opened, () => this.#opened());
    this.#socket.setNoDelay(true);
    this.#socket.on('end', () => this.#endOfInput());
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#break(error.code ?? 'ERROR'));
    this.#socket.on('close', () => this.#break('closed-before-answer'));
  }

  /** Writes a request; the connection is busy until it is answered or breaks. */
  send(request: Buffer, plannedNs: number): void {
    this.busy = true;
    this.plannedNs = plannedNs;
    this.reader.reset();
    this.sentNs = this.#owner.monotonicNs();
    this.#socket.write(request);
  }

  /** True while the server keeps the connection by its Keep-Alive header, less a second. */
  isKeptAt(nowNs: number): boolean {
    const { keepAliveTimeoutS } = this.reader.head;
    if (keepAliveTimeoutS < 0 || this.sentNs === 0) return true;
    return nowNs - this.freeSinceNs < Math.max(keepAliveTimeoutS - 1, keepAliveTimeoutS / 2) * 1e9;
  }

  /** Closes the connection; its owner is not notified. */
  destroy(): void {
    this.#ended = true;
    this.open = false;
    this.busy = false;
    this.#socket.destroy();
  }

  #opened(): void {
    if (this.#ended) return;
    this.open = true;
    this.freeSinceNs = this.#owner.monotonicNs();
    this.#owner.onOpen(this, this.freeSinceNs);
  }

  #read(bytes: Buffer, length: number): void {
    if (this.#ended) return;
    const nowNs = this.#owner.monotonicNs();
    if (!this.busy) {
      // Unsolicited bytes: the next answer could not be separated from them.
      this.destroy();
      if (IDLE_CLOSE.test(bytes.toString('latin1', 0, Math.min(length, 16)))) {
        this.#owner.onClosedIdle(this);
      } else this.#owner.onUnexpectedBytes(this);
      return;
    }
    const { reader } = this;
    const end = reader.read(bytes, 0, length);
    if (reader.failure !== null) this.#break(reader.failure, nowNs);
    else if (reader.complete) {
      this.overran = end < length;
      if (this.overran) reader.head.keepAlive = false;
      this.#answered(nowNs);
    }
  }

  /** True if the target may have closed the connection before it received the request. */
  get #mayBeLost(): boolean {
    return this.busy && this.open && this.#isKept && !this.isAgain;
  }

  #answered(nowNs: number): void {
    const { status, keepAlive } = this.reader.head;
    if (status === 408 && !keepAlive && this.#mayBeLost) {
      this.destroy();
      this.#owner.onLost(this);
      return;
    }
    this.busy = false;
    this.#isKept = true;
    this.freeSinceNs = nowNs;
    if (!keepAlive) this.destroy();
    this.#owner.onAnswer(this, nowNs);
  }

  #endOfInput(): void {
    if (this.#ended) return;
    if (!this.busy) {
      this.#break('closed-before-answer');
      return;
    }
    this.reader.end();
    if (this.reader.complete) this.#answered(this.#owner.monotonicNs());
    else this.#break(this.reader.failure ?? 'closed-mid-answer');
  }

  #break(kind: string, nowNs: number = this.#owner.monotonicNs()): void {
    if (this.#ended) return;
    const wasIdle = this.open && !this.busy;
    const isLost = this.#mayBeLost && !this.reader.began;
    this.#ended = true;
    this.open = false;
    this.#socket.destroy();
    if (wasIdle) this.#owner.onClosedIdle(this);
    else if (isLost) this.#owner.onLost(this);
    else this.#owner.onBroken(this, kind, nowNs);
    this.busy = false;
  }
}
