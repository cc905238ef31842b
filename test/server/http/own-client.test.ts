import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { sendToItself } from '../../../src/server/http/own-client.ts';

it('ends half of its connections, and resets the others', { timeout: 30_000 }, async () => {
  const ends: string[] = [];
  const server = createServer((socket) => {
    const note = (how: string) => (): void => void ends.push(how);
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    socket.on('end', note('ended')).on('error', note('reset'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answered = await sendToItself({
    port: (server.address() as AddressInfo).port,
    isTls: false,
    bursts: 2,
    connections: 4,
    requestsOf: () => ['GET / HTTP/1.1\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n'],
    signal: new AbortController().signal,
  });
  server.close();
  await once(server, 'close');
  expect(answered).toBe(16);
  expect(ends.sort()).toEqual([...Array(4).fill('ended'), ...Array(4).fill('reset')]);
});
