import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const LOOPBACK = '127.0.0.1';
const STATUS_LINE = /^HTTP\/1\.1 200 /gm;

/** Requests of this process to itself. */
export interface OwnRequests {
  readonly port: number;
  readonly isTls: boolean;
  /** Bursts of connections, one after the other, and connections in each. */
  readonly bursts: number;
  readonly connections: number;
  /** The requests of a connection, by its number, in HTTP/1.1; each is sent once the one before is answered. */
  readonly requestsOf: (connection: number) => readonly string[];
  /** Ends them all. */
  readonly signal: AbortSignal;
}

/**
 * Sends requests over loopback; returns how many were answered with 200. Each ends its connection otherwise.
 * Every other connection over TCP is reset: clients end theirs in both ways, and one that is reset leaves
 * nothing behind in the kernel.
 */
export async function sendToItself(requests: OwnRequests): Promise<number> {
  const { bursts, connections, isTls, requestsOf, signal } = requests;
  let answered = 0;
  const sockets = new Set<Socket>();
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  signal.addEventListener('abort', end, { once: true });
  for (let burst = 0; burst < bursts && !signal.aborted; burst++) {
    const counts = await Promise.all(
      Array.from({ length: connections }, (_, at) => {
        const socket = open(requests);
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        const close = (): void => {
          if (at % 2 === 0 || isTls) socket.destroy();
          else socket.resetAndDestroy();
        };
        return countAnswered(socket, requestsOf(burst * connections + at), close);
      }),
    );
    answered += counts.reduce((sum, one) => sum + one);
  }
  signal.removeEventListener('abort', end);
  return answered;
}

function open({ port, isTls }: OwnRequests): Socket {
  // The certificate may be for any host.
  return isTls
    ? connectTls({ port, host: LOOPBACK, rejectUnauthorized: false })
    : connect({ port, host: LOOPBACK });
}

/** @param close called behind the answer to the last request */
function countAnswered(
  socket: Socket,
  requests: readonly string[],
  close: () => void,
): Promise<number> {
  return new Promise((resolve) => {
    let answered = 0;
    const send = (): void => {
      const next = requests[answered];
      if (next === undefined) close();
      else socket.write(next);
    };
    socket.on('data', (data) => {
      const count = data.toString('latin1').match(STATUS_LINE)?.length ?? 0;
      answered += count;
      if (count > 0) send();
      else if (data.indexOf('HTTP/1.1 ') === 0) socket.destroy();
    });
    socket.on('error', () => undefined).on('close', () => resolve(answered));
    send();
  });
}
