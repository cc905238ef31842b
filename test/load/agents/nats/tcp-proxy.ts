import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of a port of this machine, which can fail as a network does. */
export interface TcpProxy {
  readonly url: string;
  /** Number of connections so far. */
  readonly connections: number;
  /** Ends all connections; new ones are taken. */
  cut(): void;
  /** Ends all connections, and new ones at once, until {@link turnTo}. */
  refuse(): void;
  /** Carries nothing, and keeps what comes. */
  hold(): void;
  release(): void;
  /** Connects to another port from now on. */
  turnTo(port: number): void;
  /** Ends all connections, and takes no new ones. */
  close(): Promise<void>;
}

export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let onwardPort: number | null = port;
  let connections = 0;
  let isHeld = false;
  const carry = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (chunk) => to.write(chunk));
    from.on('error', () => from.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isHeld) from.pause();
  };
  const server = createServer({ noDelay: true }, (socket) => {
    if (onwardPort === null) {
      socket.on('error', () => undefined).destroy();
      return;
    }
    connections++;
    const onward = connect({ port: onwardPort, host: '127.0.0.1', noDelay: true });
    carry(socket, onward);
    carry(onward, socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const setHeld = (held: boolean): void => {
    isHeld = held;
    for (const socket of sockets) {
      if (held) socket.pause();
      else socket.resume();
    }
  };
  return {
    url: `nats://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    get connections() {
      return connections;
    },
    cut,
    refuse: () => {
      onwardPort = null;
      cut();
    },
    hold: () => setHeld(true),
    release: () => setHeld(false),
    turnTo: (other) => (onwardPort = other),
    close: async () => {
      const closed = server.listening ? once(server, 'close') : null;
      server.close();
      cut();
      await closed;
    },
  };
}
