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

/** Sends requests over loopback; returns how many were answered with 200. Each ends its connection otherwise. */
export async function sendToItself(requests: OwnRequests): Promise<number> {
  const { bursts, connections, requestsOf, signal } = requests;
  let answered = 0;
  for (let burst = 0; burst < bursts && !signal.aborted; burst++) {
    const counts = await Promise.all(
      Array.from({ length: connections }, (_, at) =>
        countAnswered(open(requests), requestsOf(burst * connections + at), signal),
      ),
    );
    answered += counts.reduce((sum, one) => sum + one);
  }
  return answered;
}

function open({ port, isTls }: OwnRequests): Socket {
  // The certificate may be for any host.
  return isTls
    ? connectTls({ port, host: LOOPBACK, rejectUnauthorized: false })
    : connect({ port, host: LOOPBACK });
}

function countAnswered(
  socket: Socket,
  requests: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve) => {
    let answered = 0;
    const end = (): void => void socket.destroy();
    const send = (): void => {
      const next = requests[answered];
      if (next === undefined) end();
      else socket.write(next);
    };
    socket.on('data', (data) => {
      const count = data.toString('latin1').match(STATUS_LINE)?.length ?? 0;
      answered += count;
      if (count > 0) send();
      else if (data.indexOf('HTTP/1.1 ') === 0) end();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      signal.removeEventListener('abort', end);
      resolve(answered);
    });
    signal.addEventListener('abort', end);
    send();
  });
}
