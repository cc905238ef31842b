import type { SecureContextOptions } from 'node:tls';
import type { Client } from 'undici';
import { Connection, type Connector } from './connection.ts';

/** Limits and certificates of connections. */
export interface ConnectionOptions {
  /** Time after which a kept connection without a request is closed. */
  readonly idleMs: number;
  /** PEM texts. */
  readonly tls?: Readonly<Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>> | undefined;
}

/**
 * Use of a connection: kept for any request; kept for requests that were all accepted; new, but such as a
 * client keeps; new, and closed by the target afterwards.
 */
export type ConnectionKind = 'keptAlive' | 'unspoiled' | 'opening' | 'singleUse';

/** Connections that are kept between requests, by origin and use. */
export class Connections {
  readonly #undici: Promise<{ readonly Client: typeof Client; readonly connect: Connector }>;
  readonly #idleMs: number;
  readonly #idle = new Map<string, Connection[]>();
  readonly #named = new Map<string, Promise<Connection>>();

  constructor({ idleMs, tls }: ConnectionOptions) {
    this.#idleMs = idleMs;
    // Loaded when something is about to be sent.
    this.#undici = import('undici').then(({ Client, buildConnector }) => ({
      Client,
      connect: buildConnector({ ...tls, timeout: 0 }),
    }));
  }

  /** A connection that is free, or a new one. */
  async take(origin: string, kind: ConnectionKind): Promise<Connection> {
    const idle = this.#idle.get(`${kind} ${origin}`);
    for (let last = idle?.pop(); last; last = idle?.pop()) {
      if (last.isOpen) return last;
      last.destroy();
    }
    return this.#open(origin);
  }

  /** The connection of that name, which sends one request after another. */
  named(name: string, origin: string): Promise<Connection> {
    const connection = this.#named.get(`${name} ${origin}`) ?? this.#open(origin);
    this.#named.set(`${name} ${origin}`, connection);
    return connection;
  }

  /** Opens another one under that name next time, if this one was closed. */
  async forgetClosed(name: string, origin: string): Promise<void> {
    const connection = await this.#named.get(`${name} ${origin}`);
    if (connection?.isOpen === false) this.#named.delete(`${name} ${origin}`);
  }

  /** Keeps a connection that was taken for further requests, or closes it. */
  release(connection: Connection, origin: string, kind: ConnectionKind, status?: number): void {
    const isKept = kind === 'keptAlive' || (kind === 'unspoiled' && status === 200);
    if (!isKept || !connection.isOpen) {
      connection.destroy();
      return;
    }
    const key = `${kind} ${origin}`;
    const idle = this.#idle.get(key);
    if (idle) idle.push(connection);
    else this.#idle.set(key, [connection]);
  }

  /** Closes the connections that are not in use. */
  close(): void {
    for (const connection of [...this.#idle.values()].flat()) connection.destroy();
    for (const opened of this.#named.values())
      void opened.then((connection) => connection.destroy());
    this.#idle.clear();
    this.#named.clear();
  }

  async #open(origin: string): Promise<Connection> {
    const { Client, connect } = await this.#undici;
    return new Connection(Client, connect, origin, this.#idleMs);
  }
}
