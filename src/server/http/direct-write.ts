import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { TlsWriter } from './direct-tls-write.ts';
import { handleOf, isComplete, type WriteRequest } from './socket-handle.ts';
import type { SocketWriter, WriteOutcome } from './socket-writer.ts';
import { WriteRequests } from './write-requests.ts';

/** Bytes written behind those that are pending: the stream does not finish before it has written this. */
const NOTHING = Buffer.alloc(0);

/**
 * Makes writers for sockets. They write past the streams, which would make an object for each write and
 * announce its end in a tick of its own.
 */
export class DirectWriters {
  readonly #tcp = new TcpRequests(false);
  readonly #tls = new WriteRequests(true);

  /** Makes the writer of a socket, which nothing has been written to. */
  of(socket: Socket): SocketWriter {
    return socket instanceof TLSSocket
      ? new TlsWriter(socket, this.#tls)
      : new TcpWriter(socket, this.#tcp);
  }
}

/** Requests to write to TCP sockets, one of which is used again and again. */
class TcpRequests extends WriteRequests {
  /** A request that no pending write uses. */
  spare: WriteRequest | null = null;
}

/** Writes to a TCP socket: the kernel nearly always takes all bytes at once. */
class TcpWriter implements SocketWriter {
  readonly socket: Socket;
  readonly #requests: TcpRequests;

  constructor(socket: Socket, requests: TcpRequests) {
    this.socket = socket;
    this.#requests = requests;
  }

  write(bytes: Buffer): WriteOutcome {
    const { socket } = this;
    const requests = this.#requests;
    const handle = handleOf(socket);
    if (!handle || !requests.isPossible || socket.writableLength > 0)
      return this.#writeToStream(bytes);
    if (requests.Request === null) {
      if (isComplete(handle)) requests.learnFrom(handle);
      return this.#writeToStream(bytes);
    }
    requests.spare ??= new requests.Request();
    if (handle.writeBuffer(requests.spare, bytes) !== 0) {
      socket.destroy();
      return 'free';
    }
    if (handle.writeQueueSize === 0) return 'free';
    requests.spare.buffer = bytes;
    requests.spare = null;
    socket.write(NOTHING, (error) => error ?? socket.emit('drain'));
    return 'full';
  }

  #writeToStream(bytes: Buffer): WriteOutcome {
    if (!this.socket.write(bytes)) return 'full';
    return this.socket.writableLength > 0 ? 'held' : 'free';
  }
}
