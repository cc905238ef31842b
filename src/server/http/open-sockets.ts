import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ParserStream } from './parser-stream.ts';

/** The connections of a listener, and the requests in flight on each. */
export class OpenSockets {
  readonly #inFlight = new Map<Socket | ParserStream, Set<ServerResponse>>();
  /** The TCP sockets below TLS connections. */
  readonly #raw = new Set<Socket>();
  /** True once every answer must be the last of its connection. */
  isDraining = false;

  add(socket: Socket): void {
    this.#inFlight.set(socket, new Set());
    socket.once('close', () => this.#inFlight.delete(socket));
  }

  /** Adds a stream that stands in for a socket: requests in flight on it are those of the socket. */
  addStream(stream: ParserStream, socket: Socket): void {
    this.#inFlight.set(stream, this.#inFlight.get(socket) ?? new Set());
    stream.once('close', () => this.#inFlight.delete(stream));
  }

  addRaw(socket: Socket): void {
    this.#raw.add(socket);
    socket.once('close', () => this.#raw.delete(socket));
  }

  /** Adds a request to a connection; it is in flight until its answer is sent. */
  begin(socket: Socket, response: ServerResponse): void {
    const responses = this.#inFlight.get(socket);
    responses?.add(response);
    response.once('close', () => {
      responses?.delete(response);
      if (this.isDraining && responses?.size === 0) socket.end();
    });
  }

  /** Checks whether a request of a connection has not been read to its end. */
  isReading(socket: Socket): boolean {
    return [...(this.#inFlight.get(socket) ?? [])].some(({ req }) => !req.complete);
  }

  /**
   * Answers a malformed request after the whole requests before it on the connection, so that its
   * answer is not taken for one of theirs.
   */
  afterAnswers(socket: Socket, answerBroken: () => void): void {
    const inFlight = [...(this.#inFlight.get(socket) ?? [])];
    // Until `close`: a pipelined answer that has ended may still wait for the one before it.
    const awaited = inFlight.find(({ req, writableEnded }) => req.complete || writableEnded);
    if (awaited !== undefined) {
      // When the client closes its side, node:http closes the connection behind the answers that it owes,
      // and these bytes would get none. It reads no further request of this connection.
      socket.removeAllListeners('end').pause();
      awaited.once('close', () => this.afterAnswers(socket, answerBroken));
      return;
    }
    // Of a request that is refused before its end, and now has none.
    const begun = inFlight.find(({ headersSent }) => headersSent);
    if (begun === undefined) answerBroken();
    else begun.end();
  }

  /** Closes idle connections, and every other one once it becomes idle. */
  drain(): void {
    this.isDraining = true;
    for (const [socket, responses] of this.#inFlight) {
      if (responses.size === 0) socket.destroySoon();
    }
  }

  destroyAll(): void {
    for (const socket of [...this.#inFlight.keys(), ...this.#raw]) socket.destroy();
  }
}
