import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { vi } from 'vitest';
import type { RunningServer, ServerOptions } from '../../../src/server/index.ts';
import { startServer } from '../../../src/server/index.ts';
import { FastConnections } from '../../../src/server/speed/connections.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';
import { until } from '../../support/until.ts';
import { frozen } from '../caller.ts';
import { PATIENT } from './twins.ts';
import { unwatchFastPath } from './watch.ts';

const running: RunningServer[] = [];
const clients: Socket[] = [];

/**
 * Restores timers and the fast path, and closes what a test has opened. Each file of tests registers
 * it: one process runs many files, and loads this module only for the first.
 */
export async function restore(): Promise<void> {
  vi.useRealTimers();
  vi.restoreAllMocks();
  unwatchFastPath();
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(running.splice(0).map((server) => server.close(0)));
}

/** An access token of the partner `p-1`. */
export const TOKEN = 'known-token';
const PARTNER = { id: 'p-1', signingKey: 'k', authCodes: [], accessToken: TOKEN } as const;

/** A server that accepts {@link TOKEN}. */
export async function start(options: ServerOptions = {}): Promise<RunningServer> {
  const partners = [{ ...PARTNER, use: 'general' as const }];
  const server = await startServer({ clock: frozen, partners, timeouts: PATIENT, ...options });
  running.push(server);
  return server;
}

/** Start of a head, after the target. */
export const HEAD = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer p-1|${TOKEN}\r\n`;

/** An estimate northwards by a distance, so that its answer can be recognized. */
export function estimate(number = 1, lines = ''): string {
  const query = `start_lat=0&start_lng=0&from_name=a&end_lat=${(number / 1000).toFixed(3)}&end_lng=0&to_name=b&product_type=private-car&ride_type=compact&departure_time=0`;
  return `GET /v1/estimates/prices?${query} ${HEAD}${lines}\r\n`;
}

/** A request that the fast path does not answer. */
export const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

/** A connection that collects what it receives. */
export class Client {
  readonly socket: Socket;
  text = '';
  readonly closed: Promise<void>;

  constructor(server: RunningServer, isTls = false) {
    const { port } = server;
    const to = { port, host: '127.0.0.1', allowHalfOpen: true };
    this.socket = isTls ? connectTls({ ...to, ca: LOOPBACK_TLS.cert }) : connect(to);
    clients.push(this.socket);
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
    this.closed = new Promise((resolve) => {
      this.socket.on('end', () => resolve()).on('error', () => resolve());
      this.socket.on('close', () => resolve());
    });
  }

  /** A number from each answer: the kilometers of an estimate, or the status. */
  get answers(): (number | string)[] {
    return this.text
      .split(/(?=HTTP\/1\.1 \d{3} )/)
      .filter(Boolean)
      .map((answer) => {
        const length = Number(/content-length: (\d+)/i.exec(answer)?.[1]);
        const [head = '', body = ''] = answer.split('\r\n\r\n');
        if (body.length !== length) return `cut off: ${answer}`;
        const distanceM = /"distance_in_meter":(\d+)/.exec(body)?.[1];
        if (distanceM === undefined) return head.slice(9, 12);
        return Math.round(Number(distanceM) / 1.3 / 111.2);
      });
  }

  /** Sends, and waits for that many answers in total. */
  async send(bytes: string | Buffer, count: number): Promise<void> {
    this.socket.write(bytes);
    await until(
      () => this.answers.length >= count,
      () => ({ expected: count, answers: this.answers }),
    );
  }
}

/** The server's ends of the connections that the fast path takes. */
export function watchSockets(): Socket[] {
  const sockets: Socket[] = [];
  const { take } = FastConnections.prototype;
  vi.spyOn(FastConnections.prototype, 'take').mockImplementation(function (
    this: FastConnections,
    socket,
  ) {
    sockets.push(socket);
    take.call(this, socket);
  });
  return sockets;
}

/** The numbers from 1 on. */
export const range = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => index + 1);
