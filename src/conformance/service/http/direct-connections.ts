import { connect, type Socket } from 'node:net';

/** Receives what happens on a connection. */
export interface ConnectionUser {
  connected(): void;
  data(piece: Buffer): void;
  /** @param error null if the target closed it in order */
  end(error: Error | null): void;
}

/**
 * Kind of connection that an exchange uses: a kept one, one that saw accepted requests of this kind only,
 * a new one that could be kept, or one that says it is not.
 */
export type ConnectionKind = 'keptAlive' | 'unspoiled' | 'opening' | 'singleUse';

/** Connection to a target, used by one exchange at a time. */
export interface DirectConnection {
  readonly socket: Socket;
  /** True if it had exchanges before. */
  isUsed: boolean;
  /** Null while it is idle. */
  user: ConnectionUser | null;
}

/** Connections of a transport that are used without `node:http`. */
export class DirectConnections {
  readonly #idleMs: number;
  /** By kind and origin, the last used at the end. */
  readonly #idle = new Map<string, DirectConnection[]>();
  /** Origins whose answers have another form than a direct exchange knows. */
  readonly #avoided = new Set<string>();

  /** @param idleMs time after which a kept connection without a request is closed */
  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** Checks whether exchanges with an origin should be left to `node:http` from the start. */
  avoids(origin: string): boolean {
    return this.#avoided.has(origin);
  }

  /** Leaves further exchanges with an origin to `node:http`. */
  avoid(origin: string): void {
    this.#avoided.add(origin);
  }

  /** Takes the connection of a kind that was used last, or opens one. */
  take(
    {
      origin,
      host,
      port,
    }: { readonly origin: string; readonly host: string; readonly port: number },
    kind: ConnectionKind,
  ): DirectConnection {
    const idle = this.#idle.get(`${kind} ${origin}`);
    for (let last = idle?.pop(); last; last = idle?.pop()) {
      if (last.socket.destroyed || last.socket.readableEnded) continue;
      last.socket.setTimeout(0);
      return last;
    }
    return open(host, port);
  }

  /** Keeps a connection for further exchanges, as long as the target says, or the limit. */
  keep(
    origin: string,
    kind: 'keptAlive' | 'unspoiled',
    connection: DirectConnection,
    keepAlive: string | undefined,
  ): void {
    const seconds = /(?:^|[ ,])timeout=(\d{1,5})/i.exec(keepAlive ?? '')?.[1];
    const idleMs = seconds === undefined ? this.#idleMs : Math.min(this.#idleMs, 1000 * +seconds);
    if (idleMs === 0) {
      connection.socket.destroy();
      return;
    }
    connection.isUsed = true;
    connection.socket.setTimeout(idleMs);
    const key = `${kind} ${origin}`;
    const idle = this.#idle.get(key);
    if (idle) idle.push(connection);
    else this.#idle.set(key, [connection]);
  }

  /** Closes the connections that are not in use. */
  close(): void {
    for (const connections of this.#idle.values())
      for (const { socket } of connections) socket.destroy();
    this.#idle.clear();
  }
}

function open(host: string, port: number): DirectConnection {
  const socket = connect({ host, port, noDelay: true });
  const connection: DirectConnection = { socket, isUsed: false, user: null };
  let failure: Error | null = null;
  socket.on('connect', () => connection.user?.connected());
  socket.on('data', (piece) => {
    if (connection.user) connection.user.data(piece);
    // Nobody asked for this: what follows it could not be told from an answer.
    else socket.destroy();
  });
  socket.on('timeout', () => socket.destroy());
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('close', () => connection.user?.end(failure));
  return connection;
}
