import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { InterceptedRequest } from '../../../src/server/index.ts';
import { Forwarder } from '../../../src/server/index.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';

const REQUEST: InterceptedRequest = {
  method: 'GET',
  target: '/v1/estimates/prices',
  headers: {},
  rawHeaders: [],
  body: new Uint8Array(0),
  connection: {},
  receivedMs: 0,
};

/** A target that answers each request by a function on its socket. */
async function targetOf(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes pieces in turns of the loop, until the connection is closed. */
function keepWriting(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 1);
  socket.once('close', () => clearInterval(timer));
}

describe('a forwarder', { timeout: 60_000 }, () => {
  it.each([
    [
      'sends interim responses without end',
      (socket: Socket) => keepWriting(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    ],
    [
      'sends a body without end',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n');
        keepWriting(socket, 'x');
      },
    ],
    ['never answers', () => undefined],
  ])('gives up a target that %s, and closes the connection', async (_, answer) => {
    let closed = 0;
    const baseUrl = await targetOf((socket) => {
      socket.once('close', () => closed++);
      answer(socket);
    });
    const forwarder = new Forwarder({ baseUrl, timeoutMs: 50 }, { onExchange: () => {} });
    const { status, body } = await forwarder.respond(REQUEST);
    expect([status, body]).toEqual([502, 'The target gave no whole answer: TIMEOUT.']);
    await expect.poll(() => closed).toBe(1);
    forwarder.close();
  });

  it('reaches a target behind TLS by its issuer, and shows it the own certificate', async () => {
    const asks = { ca: LOOPBACK_TLS.cert, requestCert: true, rejectUnauthorized: true };
    const server = createTlsServer({ ...LOOPBACK_TLS, ...asks }, (_, response) => {
      response.end('[]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const observer = { onExchange: () => {} };
    const known = new Forwarder({ baseUrl, ca: LOOPBACK_TLS.cert, ...LOOPBACK_TLS }, observer);
    expect(await known.respond(REQUEST)).toMatchObject({ status: 200, body: '[]' });
    const unknown = new Forwarder({ baseUrl }, observer);
    expect(await unknown.respond(REQUEST)).toMatchObject({
      status: 502,
      body: 'The target gave no whole answer: DEPTH_ZERO_SELF_SIGNED_CERT.',
    });
    for (const forwarder of [known, unknown]) forwarder.close();
  });

  it('takes an answer behind interim responses', async () => {
    const baseUrl = await targetOf((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]');
    });
    const forwarder = new Forwarder({ baseUrl }, { onExchange: () => {} });
    expect(await forwarder.respond(REQUEST)).toMatchObject({ status: 200, body: '[]' });
    forwarder.close();
  });
});
