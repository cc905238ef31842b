import { once } from 'node:events';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { OpenSockets } from '../../../src/server/http/open-sockets.ts';

const LIMIT = { timeout: 10_000 };

it.each(['add', 'addRaw'] as const)(
  'is empty but while a socket is open: %s',
  LIMIT,
  async (add) => {
    const sockets = new OpenSockets();
    const socket = new Socket();
    expect(sockets.isEmpty).toBe(true);
    sockets[add](socket);
    expect(sockets.isEmpty).toBe(false);
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    expect(sockets.isEmpty).toBe(true);
  },
);
