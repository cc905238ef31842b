import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher } from 'undici';
import { type AwaitsAnswer, skipInterim } from './skip-interim.ts';

/** Opens the socket of a connection. */
export type Connector = ReturnType<typeof buildConnector>;

/** A client that has one connection at most, and opens another one if that was closed. */
export class Connection implements AwaitsAnswer {
  readonly #client: Client;
  #socket: Socket | null = null;

  /** Answers that came on the connection that is open. */
  answers = 0;
  awaitsAnswer = false;

  /**
   * @param origin scheme, host and port
   * @param idleMs time after which it is closed without a request
   */
  constructor(ClientOfUndici: typeof Client, connect: Connector, origin: string, idleMs: number) {
    // Each request has one deadline, which is not the client's.
    this.#client = new ClientOfUndici(origin, {
      connect: (target, done) => {
        connect(target, (...opened) => {
          // Left out after an error.
          const [, socket] = opened;
          if (socket) this.#use(socket);
          done(...opened);
        });
      },
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      keepAliveTimeoutThreshold: 0,
    });
  }

  get isOpen(): boolean {
    return this.#socket?.destroyed === false && !this.#socket.readableEnded;
  }

  /** Bytes that came on the connection that is open, or was the last. */
  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  /** Sends a request once those before it are answered. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Closes it, and fails the requests under way. */
  destroy(): void {
    void this.#client.destroy();
  }

  #use(socket: Socket): void {
    skipInterim(socket, this);
    this.#socket = socket;
    this.answers = 0;
  }
}
