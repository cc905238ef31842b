import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** A request to write, which Node fills in if the kernel does not take all bytes at once. */
interface WriteRequest {
  /** Keeps the memory alive while the kernel has not taken all of it. */
  buffer?: Buffer;
}

/** The handle of a TCP socket; an internal of Node. */
interface Handle {
  /** Writes at once what the kernel takes, and later the rest; returns an error number, 0 for none. */
  writeBuffer(request: WriteRequest | null, bytes: Buffer): number;
  /** Number of bytes that the kernel has not taken yet. */
  readonly writeQueueSize: number;
}

type SocketInternals = Socket & { readonly _handle?: Handle | null };

/**
 * Outcome of a write: `written` (their memory is free), `pending` (their memory is still needed) or
 * `refused` (nothing was written, and the stream has to write them).
 */
export type WriteOutcome = 'written' | 'pending' | 'refused';

/** Bytes written behind those that are pending: the stream does not finish before it has written this. */
const NOTHING = Buffer.alloc(0);

/**
 * Writes bytes to TCP sockets past their streams, which would make an object for each write and
 * announce its end in a tick of its own. Bytes keep their order with those that are written by the
 * stream. Refuses TLS, where two writes at a time end the process.
 */
export class DirectWriter {
  /** Makes requests to write; null until the first write of a stream has shown it. */
  #Request: (new () => WriteRequest) | null = null;
  /** False on versions of Node whose streams make no request for a write that is done at once. */
  #isPossible = true;
  /** A request that no pending write uses. */
  #spare: WriteRequest | null = null;

  /** Writes bytes. If they are pending, the socket emits `drain` once the kernel has taken them. */
  write(socket: Socket, bytes: Buffer): WriteOutcome {
    if (socket instanceof TLSSocket) return 'refused';
    const handle = (socket as SocketInternals)._handle;
    if (!handle || !this.#isPossible || socket.writableLength > 0) return 'refused';
    if (this.#Request === null) {
      if (isComplete(handle)) this.#observe(handle);
      return 'refused';
    }
    this.#spare ??= new this.#Request();
    if (handle.writeBuffer(this.#spare, bytes) !== 0) {
      socket.destroy();
      return 'written';
    }
    if (handle.writeQueueSize === 0) return 'written';
    this.#spare.buffer = bytes;
    this.#spare = null;
    socket.write(NOTHING, (error) => error ?? socket.emit('drain'));
    return 'pending';
  }

  /** Takes the class of requests from the next write of a stream. */
  #observe(handle: Handle): void {
    const write = handle.writeBuffer.bind(handle);
    handle.writeBuffer = (request, bytes) => {
      Reflect.deleteProperty(handle, 'writeBuffer');
      if (request === null) this.#isPossible = false;
      else this.#Request = request.constructor as new () => WriteRequest;
      return write(request, bytes);
    };
  }
}

/** Checks whether a handle has what is needed; another version of Node may have other internals. */
function isComplete(handle: Partial<Handle>): boolean {
  return typeof handle.writeBuffer === 'function' && typeof handle.writeQueueSize === 'number';
}
