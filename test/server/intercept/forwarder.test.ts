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
async function targetOf(answer: (socket: Socket, head: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', (chunk: Buffer) => answer(socket, chunk.toString('latin1')));
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

  it.each([
    'http://127.0.0.1/v1/estimates/prices',
    'HTTP://other.example/',
    '*',
    '',
    'v1/estimates',
    '?a=b',
    '\\\\v1',
    '/..',
    '/../../admin',
    '/v1/../../admin',
    '/v1/./../../admin?x=1',
    '/v1//../../admin',
    '/v1/%2e%2E/%2e./admin',
    '/v1/..%2f..%2Fadmin',
    '/v1/..\\..\\admin',
    '/v1/..%5c../admin',
    '/v1/%252e%252e/%252e%252e/admin',
    '/v1/%25%32%65%25%32%65/../admin',
    '/a%2fb/../../admin',
    '/a\\b/../../admin',
    '/v1/..;x=1/..;/admin',
    '/v1/%2e%2e%3bx/../admin',
    '/;x/../admin',
    '/v1/%25252525252e',
    '/v1#/x',
  ])('answers 400 to the target %j, and forwards nothing', async (requestTarget) => {
    let asked = 0;
    const baseUrl = await targetOf(() => asked++);
    const seen: unknown[] = [];
    const observer = { onExchange: (exchange: unknown) => seen.push(exchange) };
    const forwarder = new Forwarder({ baseUrl: `${baseUrl}/api`, timeoutMs: 500 }, observer);
    const request = { ...REQUEST, target: requestTarget };
    const answer = await forwarder.respond(request);
    expect([answer.status, answer.body]).toEqual([400, expect.stringMatching(/^Not forwarded: /)]);
    forwarder.onExchange({ request, answer, finishedMs: 1 });
    expect([asked, seen.length]).toEqual([0, 1]);
    forwarder.close();
  });

  it.each([
    '/',
    '/v1/estimates/prices?a=/../../x&b=%2e%2e%2f..#',
    '/v1//x/../%7Ey/..%20/...',
    '/a/b/../../c/..',
    '/a%2Fb%252Fc/%E4%BD%A0;p=..',
  ])('forwards the target %j as it is, below the path of the address', async (requestTarget) => {
    let line = '';
    const baseUrl = await targetOf((socket, head) => {
      [line = ''] = head.split('\r\n');
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    const forwarder = new Forwarder({ baseUrl: `${baseUrl}/api/` }, { onExchange: () => {} });
    const { status } = await forwarder.respond({ ...REQUEST, target: requestTarget });
    expect([status, line]).toEqual([200, `GET /api${requestTarget} HTTP/1.1`]);
    forwarder.close();
  });

  it('forwards no header of one connection, nor any that Connection names, either way', async () => {
    let lines: string[] = [];
    const baseUrl = await targetOf((socket, head) => {
      lines = head.split('\r\n').filter((line) => line !== '');
      socket.end(
        'HTTP/1.1 200 OK\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nX-End: 2\r\nContent-Length: 0\r\n\r\n',
      );
    });
    const sent = { Connection: 'X-One , x-two', 'X-One': '1', 'X-Two': '2', TE: 'trailers' };
    const rest = {
      connection: 'X-Three',
      'X-Three': '3',
      'Keep-Alive': 'timeout=5',
      'X-Four': '4',
    };
    const rawHeaders = [...Object.entries(sent), ...Object.entries(rest)].flat();
    const forwarder = new Forwarder({ baseUrl }, { onExchange: () => {} });
    const { raw } = await forwarder.respond({ ...REQUEST, rawHeaders });
    expect(lines.slice(1).filter((line) => !/^(host|connection): /i.test(line))).toEqual([
      'X-Four: 4',
    ]);
    expect(raw?.headers).toEqual(['X-End', '2']);
    forwarder.close();
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
