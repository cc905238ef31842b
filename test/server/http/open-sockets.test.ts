import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { OpenSockets } from '../../../src/server/http/open-sockets.ts';

it('destroys every socket, also one below a TLS connection that is not there yet', () => {
  const sockets = new OpenSockets();
  const [plain, raw] = [new Socket(), new Socket()];
  sockets.add(plain);
  sockets.addRaw(raw);
  sockets.destroyAll();
  expect([plain.destroyed, raw.destroyed]).toEqual([true, true]);
});

it('forgets a socket that is closed', () => {
  const sockets = new OpenSockets();
  const [plain, raw] = [new Socket(), new Socket()];
  sockets.add(plain);
  sockets.addRaw(raw);
  for (const socket of [plain, raw]) socket.emit('close');
  sockets.destroyAll();
  expect([plain.destroyed, raw.destroyed]).toEqual([false, false]);
});

it('closes idle connections as it drains, and others once they are', () => {
  const sockets = new OpenSockets();
  const [idle, busy] = [new Socket(), new Socket()];
  const ended: Socket[] = [];
  for (const socket of [idle, busy]) {
    sockets.add(socket);
    socket.destroySoon = () => void ended.push(socket);
    socket.end = () => {
      ended.push(socket);
      return socket;
    };
  }
  const response = new Socket() as unknown as ServerResponse;
  sockets.begin(busy, response);
  sockets.drain();
  expect(ended).toEqual([idle]);
  response.emit('close');
  expect(ended).toEqual([idle, busy]);
});
