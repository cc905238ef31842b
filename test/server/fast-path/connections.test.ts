import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, it, vi } from 'vitest';
import { FastConnections } from '../../../src/server/fast-path/connections.ts';
import { startServer } from '../../../src/server/index.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';

afterEach(() => void vi.restoreAllMocks());

it.each([
  ['waits unread for others that connect at the same time', false, { isPaused: true, readers: 0 }],
  ['is read at once over TLS, whose handshakes take long', true, { isPaused: false, readers: 1 }],
])('a connection %s', { timeout: 30_000 }, async (_, isTls, state) => {
  const { take } = FastConnections.prototype;
  const taken: unknown[] = [];
  const spy = vi.spyOn(FastConnections.prototype, 'take').mockImplementation(function (
    this: FastConnections,
    socket: Socket,
  ) {
    take.call(this, socket);
    taken.push({ isPaused: socket.isPaused(), readers: socket.listenerCount('data') });
  });
  const server = await startServer(isTls ? { tls: LOOPBACK_TLS } : {});
  const to = { port: server.port, host: '127.0.0.1' };
  const client = isTls ? connectTls({ ...to, ca: LOOPBACK_TLS.cert }) : connect(to);
  try {
    client.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(client, 'data');
    expect(taken).toEqual([state]);
    expect(spy.mock.contexts).toMatchObject([{ reads: 1 }]);
  } finally {
    client.destroy();
    await server.close(0);
  }
});
